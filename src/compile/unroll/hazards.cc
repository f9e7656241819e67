// Which conflicting tasks a runtime would leave unordered. The conflicts are the exact edges of the
// task graph; the runtime's own edges follow from its rules (npu-facts 3.4). A conflict is safe when
// the runtime's edges lead from one task to the other, directly or through others.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "tilewright/base/text.h"
#include "tilewright/compile/compile.h"
#include "tilewright/compile/context.h"
#include "tilewright/ir/infer.h"

namespace tilewright::compile {
namespace {

using namespace ir;
using platform::RuntimeRules;

// Nodes are submissions: the blocks of one spmd launch start and finish as one.
class RuntimeOrder {
 public:
  RuntimeOrder(const Plan& plan, const TaskGraph& graph, const RuntimeRules& rules)
      : plan_(plan), graph_(graph), rules_(rules), producers_(graph.buffers.size()),
        readers_(graph.buffers.size()), preds_(graph.submissions) {
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) submit(graph.tasks[t]);
  }

  // Is there a chain of runtime edges from `from` to each of `to`'s conflicts?
  bool leads(uint32_t from, uint32_t to) {
    if (from == to) return false;
    const auto& direct = preds_[to];
    if (std::ranges::find(direct, from) != direct.end()) return true;
    if (searched_ != to) {
      searched_ = to;
      ++stamp_;
      visited_.resize(graph_.submissions, 0);
      frontier_ = direct;
      for (uint32_t n : frontier_) visited_[n] = stamp_;
    }
    while (visited_[from] != stamp_ && !frontier_.empty()) {
      // Newest first: an ancestor older than `from` cannot lead to it, so stop expanding there.
      const auto newest = std::ranges::max_element(frontier_);
      const uint32_t n = *newest;
      if (n < from) break;
      *newest = frontier_.back();
      frontier_.pop_back();
      for (uint32_t p : preds_[n]) {
        if (visited_[p] == stamp_) continue;
        visited_[p] = stamp_;
        frontier_.push_back(p);
      }
    }
    return visited_[from] == stamp_;
  }

 private:
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
    auto& edges = preds_[task.submission];
    const auto add = [&](uint32_t from) {
      if (from != task.submission && std::ranges::find(edges, from) == edges.end()) edges.push_back(from);
    };
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
          add(it->submission);
        }
      }
      auto& readers = readers_[use.buffer.index()];
      if (rules_.track_war && use.writes) {
        for (const Region& r : readers)
          if (overlap(r.rects, use.rects)) add(r.submission);
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
  std::vector<std::vector<uint32_t>> preds_;
  uint32_t searched_ = UINT32_MAX;
  uint32_t stamp_ = 0;
  std::vector<uint32_t> visited_;
  std::vector<uint32_t> frontier_;
};

struct Pair {
  std::string first, second, tensor;
  EdgeKind kind;
  auto operator<=>(const Pair&) const = default;
};

// The two accesses that make a conflict: same buffer, the kinds of the edge, overlapping.
std::pair<const Access*, const Access*> conflict(const TaskGraph& graph, const Edge& e, TaskId to) {
  for (const Access& a : graph.accesses_of(graph.tasks[e.from.index()])) {
    if (a.buffer != e.buffer || a.write != (e.kind != EdgeKind::WriteAfterRead)) continue;
    for (const Access& b : graph.accesses_of(graph.tasks[to.index()]))
      if (b.buffer == e.buffer && b.write == (e.kind != EdgeKind::ReadAfterWrite) &&
          a.rect.overlaps(b.rect))
        return {&a, &b};
  }
  return {nullptr, nullptr};
}

std::string place_text(const Access* a, const Kernel& k) {
  return a && a->op ? a->op->place.text() : k.place.text();
}

}  // namespace

HazardReport find_hazards(const Plan& plan, const TaskGraph& graph, const RuntimeRules& rules) {
  HazardReport report;
  RuntimeOrder order(plan, graph, rules);
  struct Group {
    int64_t count = 0;
    TaskId a, b;
    std::string region;
  };
  std::map<Pair, Group> groups;
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const TaskId to(t);
    for (const Edge& e : graph.preds(to)) {
      ++report.conflicts_checked;
      if (order.leads(graph.tasks[e.from.index()].submission, graph.tasks[t].submission)) continue;
      ++report.unordered_pairs;
      const auto [first, second] = conflict(graph, e, to);
      const Kernel& ka = plan.kernel(graph.tasks[e.from.index()].kernel);
      const Kernel& kb = plan.kernel(graph.tasks[t].kernel);
      Group& g = groups[{place_text(first, ka), place_text(second, kb),
                         plan.program[graph.buffers[e.buffer.index()].var].name, e.kind}];
      if (g.count++ == 0) g = {1, e.from, to, second ? " " + second->rect.text() : ""};
    }
  }
  for (const auto& [pair, g] : groups) {
    const Kernel& kb = plan.kernel(graph.tasks[g.b.index()].kernel);
    report.diagnostics.add(
        {Severity::Error, "hazard",
         fmt::format("{} and {} race on {}{} ({}) under runtime rules {}: {}",
                     task_name(plan, graph, g.a), task_name(plan, graph, g.b), pair.tensor, g.region,
                     edge_kind_name(pair.kind), rules.name, counted(g.count, "unordered pair")),
         fmt::format("at {} and {}, program {}, scope \"{}\"", pair.first, pair.second, plan.program.name, kb.name),
         "two tasks that touch the same data, one of them writing, need an order",
         pair.kind == EdgeKind::WriteAfterRead
             ? "this runtime does not order a writer after earlier readers: use a fresh tensor per iteration"
             : "this runtime does not order them: let the later task also read the tensor, or write "
               "separate tensors and combine them",
         {}});
  }
  return report;
}

}  // namespace tilewright::compile
