#include "tilewright/compile/ranks/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/compile/compile.h"
#include "tilewright/compile/ranks/bits.h"
#include "tilewright/ir/runtime_graph.h"

namespace tilewright::compile {

using namespace ir;

namespace {

// Submissions that one directly starts after: by data, by its author's word, by the rules.
std::vector<std::set<uint32_t>> submission_order(const Plan& plan, const TaskGraph& graph,
                                                 const platform::RuntimeRules& rules) {
  std::vector<std::set<uint32_t>> preds(graph.submissions.size());
  for (std::size_t t = 0; t < graph.tasks.size(); ++t) {
    const uint32_t to = graph.tasks[t].submission;
    for (const Edge& e : graph.preds(TaskId(t)))
      if (const uint32_t from = graph.tasks[e.from.index()].submission; from != to)
        preds[to].insert(from);
  }
  const RuntimeGraph runtime = order_tasks(plan, graph, rules);
  for (uint32_t s = 0; s < graph.submissions.size(); ++s) {
    for (uint32_t from : graph.stated_preds(s)) preds[s].insert(from);
    for (uint32_t from : runtime.preds_of(s)) preds[s].insert(from);
  }
  return preds;
}

}  // namespace

Timeline::Timeline(const Plan& plan, std::span<const TaskGraph> ranks,
                   const platform::RuntimeRules& rules)
    : plan_(plan), ranks_(ranks) {
  for (uint32_t r = 0; r < ranks.size(); ++r) add_rank(r, rules);
}

void Timeline::add_rank(uint32_t rank, const platform::RuntimeRules& rules) {
  const TaskGraph& graph = ranks_[rank];
  const auto& events = graph.rank_events;
  struct Ends {
    std::vector<uint32_t> first, last;  // steps of the tasks of one submission
  };
  std::map<uint32_t, Ends> relevant;  // by submission
  for (uint32_t i = 0; i < events.size();) {
    const RankEvent& first = events[i];
    RankStep step{rank, first.task, i, i + 1};
    if (!first.is_signal())
      while (step.end < events.size() && events[step.end].task == first.task &&
             !events[step.end].is_signal())
        ++step.end;
    const auto id = static_cast<uint32_t>(steps_.size());
    const bool follows = !steps_.empty() && steps_.back().rank == rank &&
                         steps_.back().task == first.task;
    Ends& ends = relevant[graph.tasks[first.task.index()].submission];
    preds_.emplace_back();
    if (follows) {
      preds_.back().push_back(id - 1);
      ends.last.back() = id;
    } else {
      ends.first.push_back(id);
      ends.last.push_back(id);
    }
    if (first.is_signal() && !first.certain) {
      uncertain_.emplace(first.window, first.place);
    } else if (first.is_signal()) {
      Users& users = cells_[cell(first)];
      (first.kind == RankEvent::Kind::Notify ? users.notifies : users.waits).push_back(id);
    }
    steps_.push_back(step);
    i = step.end;
  }
  // Relevant submissions before each one, nearest first; what they follow themselves is left out.
  const auto order = submission_order(plan_, graph, rules);
  std::vector<uint32_t> number(order.size(), UINT32_MAX);
  std::vector<const Ends*> ends;
  for (const auto& [s, e] : relevant) {
    number[s] = static_cast<uint32_t>(ends.size());
    ends.push_back(&e);
  }
  std::vector<Bits> before(order.size(), Bits(ends.size()));
  for (uint32_t s = 0; s < order.size(); ++s) {
    for (uint32_t from : order[s]) {
      before[s].add(before[from]);
      if (number[from] != UINT32_MAX) before[s].set(number[from]);
    }
    if (number[s] == UINT32_MAX) continue;
    Bits covered(ends.size());
    for (auto it = relevant.rbegin(); it != relevant.rend(); ++it) {
      const uint32_t n = number[it->first];
      if (!before[s].has(n) || covered.has(n)) continue;
      covered.add(before[it->first]);
      for (uint32_t first : ends[number[s]]->first)
        preds_[first].insert(preds_[first].end(), it->second.last.begin(), it->second.last.end());
    }
  }
}

const RankEvent* Timeline::signal(uint32_t step) const {
  const RankEvent& e = events(steps_[step]).front();
  return e.is_signal() ? &e : nullptr;
}

std::string Timeline::task_text(uint32_t step) const {
  const RankStep& s = steps_[step];
  return fmt::format("rank {}, task {}", s.rank, task_name(plan_, ranks_[s.rank], s.task));
}

std::string Timeline::signal_text(uint32_t step) const {
  const RankEvent& e = *signal(step);
  const Var& window = plan_.program[e.window];
  int64_t element = e.rect.row * window.shape.back() + e.rect.col;
  std::vector<std::string> index(window.shape.size() - 1);
  for (std::size_t d = index.size(); d-- > 0; element /= window.shape[d + 1])
    index[d] = std::to_string(element % window.shape[d + 1]);
  return fmt::format("{}[{}]", window.written_name(), join(index, ", "));
}

}  // namespace tilewright::compile
