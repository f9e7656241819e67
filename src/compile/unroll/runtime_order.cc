// Which submissions a runtime makes wait for which, from its rules (npu-facts 3.4).
#include <algorithm>

#include "tilewright/compile/compile.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {
namespace {

using namespace ir;
using platform::RuntimeRules;

class RuntimeOrder {
 public:
  RuntimeOrder(const Plan& plan, const TaskGraph& graph, const RuntimeRules& rules)
      : plan_(plan), graph_(graph), rules_(rules), producers_(graph.buffers.size()),
        readers_(graph.buffers.size()) {}

  RuntimeGraph run() {
    RuntimeGraph out;
    out.rules = rules_.name;
    out.first_task.reserve(graph_.submissions + 1);
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      // Tasks of one submission stand together; a launch without blocks has none.
      while (out.first_task.size() <= graph_.tasks[t].submission) {
        close(out);
        out.first_task.push_back(static_cast<uint32_t>(t));
      }
      if (keeps_every_conflict())
        copy_edges(TaskId(t));
      else
        submit(graph_.tasks[t]);
    }
    while (out.first_task.size() <= graph_.submissions) {
      close(out);
      out.first_task.push_back(static_cast<uint32_t>(graph_.tasks.size()));
    }
    return out;
  }

 private:
  // Writes out the edges of the submission before the one that begins.
  void close(RuntimeGraph& out) {
    out.preds.insert(out.preds.end(), edges_.begin(), edges_.end());
    out.pred_begin.push_back(static_cast<uint32_t>(out.preds.size()));
    edges_.clear();
  }

  bool keeps_every_conflict() const {
    return rules_.regions == RuntimeRules::Regions::Exact && rules_.order_write_only &&
           rules_.track_war && rules_.max_producers == 0;
  }

  void add(uint32_t from, uint32_t to) {
    if (from != to && std::ranges::find(edges_, from) == edges_.end()) edges_.push_back(from);
  }

  void copy_edges(TaskId t) {
    for (const Edge& e : graph_.preds(t))
      add(graph_.tasks[e.from.index()].submission, graph_.tasks[t.index()].submission);
  }

  struct Region {
    uint32_t submission;
    std::vector<Rect> rects;
  };

  static bool overlap(const std::vector<Rect>& a, const std::vector<Rect>& b) {
    for (const Rect& x : a)
      for (const Rect& y : b)
        if (x.overlaps(y)) return true;
    return false;
  }

  static bool covers(const std::vector<Rect>& a, const std::vector<Rect>& b) {
    return std::ranges::all_of(b, [&](const Rect& y) {
      return std::ranges::any_of(a, [&](const Rect& x) { return x.contains(y); });
    });
  }

  struct Use {
    BufferId buffer;
    std::vector<Rect> rects;
    bool reads, writes;
  };

  std::vector<Use> uses_of(const Task& task) const {
    std::vector<Use> uses;
    const Kernel& k = plan_.kernel(task.kernel);
    for (std::size_t i = 0; i < k.args.size(); ++i) {
      const TensorRef& ref = graph_.args[task.args_begin + i];
      if (!ref.buffer.valid()) continue;  // not made on this path
      Use use{ref.buffer, {}, k.args[i].direction != Direction::Out,
              k.args[i].direction != Direction::In};
      for_each_rect(ref, graph_.buffers[ref.buffer.index()].cols(),
                    [&](const Rect& r) { use.rects.push_back(r); });
      uses.push_back(std::move(use));
    }
    return uses;
  }

  std::vector<Use> exact_uses_of(const Task& task) const {
    std::vector<Use> uses;
    for (const Access& a : graph_.accesses_of(task))
      uses.push_back({a.buffer, {a.rect}, !a.write, a.write});
    return uses;
  }

  bool is_inout_parameter(BufferId buffer) const {
    const int param = graph_.buffers[buffer.index()].param;
    return param >= 0 &&
           plan_.program.params[static_cast<std::size_t>(param)].direction == Direction::InOut;
  }

  void submit(const Task& task) {
    const bool exact = rules_.regions == RuntimeRules::Regions::Exact;
    for (Use& use : exact ? exact_uses_of(task) : uses_of(task)) {
      auto& producers = producers_[use.buffer.index()];
      const bool earlier_writer = std::ranges::any_of(
          producers, [&](const Region& r) { return r.submission != task.submission; });
      bool looks_up = use.reads;
      if (use.writes && !use.reads)
        looks_up = rules_.order_write_only ||
                   (rules_.promote_in_sequential && task.in_sequential_loop) ||
                   (rules_.promote_after_sibling && earlier_writer) ||
                   (rules_.promote_inout_parameter && is_inout_parameter(use.buffer));
      if (looks_up) {
        int found = 0;
        for (auto it = producers.rbegin(); it != producers.rend(); ++it) {
          if (!overlap(it->rects, use.rects)) continue;
          if (rules_.max_producers > 0 && found == rules_.max_producers) break;
          ++found;
          add(it->submission, task.submission);
        }
      }
      auto& readers = readers_[use.buffer.index()];
      if (rules_.track_war && use.writes) {
        for (const Region& r : readers)
          if (overlap(r.rects, use.rects)) add(r.submission, task.submission);
        std::erase_if(readers, [&](const Region& r) { return covers(use.rects, r.rects); });
      }
      if (rules_.track_war && use.reads) readers.push_back({task.submission, use.rects});
      if (use.writes) {
        // A read-write argument stands for the producers it covers.
        if (looks_up) std::erase_if(producers, [&](const Region& r) { return covers(use.rects, r.rects); });
        producers.push_back({task.submission, std::move(use.rects)});
      }
    }
  }

  const Plan& plan_;
  const TaskGraph& graph_;
  const RuntimeRules& rules_;
  std::vector<std::vector<Region>> producers_, readers_;
  std::vector<uint32_t> edges_;  // of the submission in progress
};

}  // namespace

RuntimeGraph order_tasks(const Plan& plan, const TaskGraph& graph, const RuntimeRules& rules) {
  return RuntimeOrder(plan, graph, rules).run();
}

}  // namespace tilewright::compile
