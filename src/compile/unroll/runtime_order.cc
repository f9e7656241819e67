// Which submissions a runtime makes wait for which, from its rules (npu-facts 3.4).
#include <algorithm>
#include <set>

#include "tilewright/compile/compile.h"
#include "tilewright/compile/unroll/stated_order.h"
#include "tilewright/compile/unroll/submit_role.h"
#include "tilewright/compile/unroll/tracking.h"
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
      : plan_(plan),
        graph_(graph),
        rules_(rules),
        tracking_(plan, graph),
        roles_(submit_roles(plan, rules)),
        waits_for_(graph.submissions.size(), 0),
        producers_(graph.buffers.size()),
        readers_(graph.buffers.size()) {}

  void leave_out(const std::vector<StatedEdge>& edges) {
    for (const StatedEdge& e : edges) left_out_.insert({e.from, e.to});
  }

  RuntimeGraph run() {
    RuntimeGraph out;
    out.rules = rules_.name;
    out.first_task.reserve(graph_.submissions.size() + 1);
    out.pred_begin.push_back(0);
    std::size_t t = 0;
    for (uint32_t s = 0; s < graph_.submissions.size(); ++s) {
      out.first_task.push_back(static_cast<uint32_t>(t));
      // Tasks of one submission stand together; a launch without blocks has none.
      for (; t < graph_.tasks.size() && graph_.tasks[t].submission == s; ++t) {
        if (tracking_.is_manual(s)) continue;
        if (keeps_every_conflict())
          copy_edges(TaskId(t));
        else
          submit(graph_.tasks[t]);
      }
      for (uint32_t from : graph_.stated_preds(s))
        if (!left_out_.contains({from, s})) add(from, s);
      close(out);
    }
    out.first_task.push_back(static_cast<uint32_t>(t));
    return out;
  }

 private:
  // Writes out the edges of the submission that ends.
  void close(RuntimeGraph& out) {
    out.preds.insert(edges_.begin(), edges_.end());
    out.pred_begin.push_back(static_cast<uint32_t>(out.preds.size()));
    edges_.clear();
  }

  bool keeps_every_conflict() const {
    return rules_.regions == RuntimeRules::Regions::Exact && rules_.order_write_only &&
           rules_.track_war && rules_.max_producers == 0;
  }

  void add(uint32_t from, uint32_t to) {
    if (from == to || waits_for_[from] == to + 1) return;
    waits_for_[from] = to + 1;
    edges_.push_back(from);
  }

  void copy_edges(TaskId t) {
    for (const Edge& e : graph_.preds(t)) {
      const uint32_t from = graph_.tasks[e.from.index()].submission;
      const uint32_t to = graph_.tasks[t.index()].submission;
      if (tracking_.orders(from, to, e.buffer)) add(from, to);
    }
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
    bool looks_up;  // waits for the producers of what it overlaps
  };

  std::vector<Use> uses_of(const Task& task) const {
    std::vector<Use> uses;
    const Kernel& k = plan_.kernel(task.kernel);
    for (std::size_t i = 0; i < k.args.size(); ++i) {
      const TensorRef& ref = graph_.arg(task, i);
      if (!ref.buffer.valid()) continue;  // not made on this path
      const SubmitRole role = roles_[task.kernel.index()][i];
      Use use{ref.buffer,
              {},
              k.args[i].direction != Direction::Out,
              k.args[i].direction != Direction::In,
              role == SubmitRole::Input || role == SubmitRole::InOut};
      for_each_rect(ref, graph_.buffers[ref.buffer.index()].cols(),
                    [&](const Rect& r) { use.rects.push_back(r); });
      uses.push_back(std::move(use));
    }
    return uses;
  }

  std::vector<Use> exact_uses_of(const Task& task) const {
    std::vector<Use> uses;
    for (const Access& a : graph_.accesses_of(task))
      uses.push_back({a.buffer, {a.rect}, !a.write, a.write, true});
    return uses;
  }

  // All lookups of a submission come before it is registered as a producer.
  void submit(const Task& task) {
    const bool exact = rules_.regions == RuntimeRules::Regions::Exact;
    std::vector<Use> uses = exact ? exact_uses_of(task) : uses_of(task);
    for (const Use& use : uses) look_up(use, task.submission);
    for (Use& use : uses) enter(std::move(use), task.submission);
  }

  void look_up(const Use& use, uint32_t submission) {
    const std::size_t b = use.buffer.index();
    if (const auto creator = tracking_.creator(use.buffer)) add(*creator, submission);
    if (!tracking_.follows(submission, use.buffer)) return;
    auto& producers = producers_[b];
    if (use.looks_up || rules_.order_write_only) {
      int found = 0;
      for (auto it = producers.rbegin(); it != producers.rend(); ++it) {
        if (it->submission == submission || !overlap(it->rects, use.rects)) continue;
        if (rules_.max_producers > 0 && found == rules_.max_producers) break;
        ++found;
        add(it->submission, submission);
      }
      // A read-write argument stands for the producers it covers.
      if (use.writes)
        std::erase_if(producers, [&](const Region& r) { return covers(use.rects, r.rects); });
    }
    if (!rules_.track_war || !use.writes) return;
    for (const Region& r : readers_[b])
      if (overlap(r.rects, use.rects)) add(r.submission, submission);
    std::erase_if(readers_[b], [&](const Region& r) { return covers(use.rects, r.rects); });
  }

  void enter(Use use, uint32_t submission) {
    if (!tracking_.follows(submission, use.buffer)) return;
    const std::size_t b = use.buffer.index();
    if (rules_.track_war && use.reads) readers_[b].push_back({submission, use.rects});
    if (!use.writes) return;
    // The blocks of a launch pass the same arguments; one entry stands for all of them.
    auto& producers = producers_[b];
    if (!producers.empty() && producers.back().submission == submission &&
        producers.back().rects == use.rects)
      return;
    producers.push_back({submission, std::move(use.rects)});
  }

  const Plan& plan_;
  const TaskGraph& graph_;
  const RuntimeRules& rules_;
  Tracking tracking_;
  SubmitRoles roles_;
  std::vector<uint32_t> waits_for_;  // by submission: the last one that waits for it, plus one
  std::vector<std::vector<Region>> producers_, readers_;  // by buffer
  std::vector<uint32_t> edges_;  // of the submission in progress
  std::set<std::pair<uint32_t, uint32_t>> left_out_;  // stated ones that are not followed
};

}  // namespace

RuntimeGraph order_tasks(const Plan& plan, const TaskGraph& graph, const RuntimeRules& rules,
                         Stated stated) {
  RuntimeOrder order(plan, graph, rules);
  if (stated == Stated::Needed) order.leave_out(superfluous_edges(graph));
  return order.run();
}

}  // namespace tilewright::compile
