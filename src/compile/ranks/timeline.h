// The steps of all ranks and their order. A step is one signal, or what a task does to windows
// between two signals; steps of one task follow each other, and tasks of one rank are ordered by
// their data, by what their author states and by the rules of the runtime.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/platform/platform.h"

namespace tilewright::compile {

struct RankStep {
  uint32_t rank = 0;
  ir::TaskId task;
  uint32_t begin = 0, end = 0;  // its events in the rank's graph
};

// One element of a window on one rank.
struct SignalCell {
  ir::VarId window;
  int64_t owner, row, col;
  auto operator<=>(const SignalCell&) const = default;
};

class Timeline {
 public:
  Timeline(const ir::Plan& plan, std::span<const ir::TaskGraph> ranks,
           const platform::RuntimeRules& rules);

  const ir::Plan& plan() const { return plan_; }
  const std::vector<RankStep>& steps() const { return steps_; }
  // Steps that directly precede one; all of them have smaller numbers within their rank.
  const std::vector<std::vector<uint32_t>>& preds() const { return preds_; }
  std::span<const ir::RankEvent> events(const RankStep& s) const {
    return {ranks_[s.rank].rank_events.data() + s.begin,
            ranks_[s.rank].rank_events.data() + s.end};
  }
  // The signal of a step; null for a step of data.
  const ir::RankEvent* signal(uint32_t step) const;
  static SignalCell cell(const ir::RankEvent& e) {
    return {e.window, e.owner, e.rect.row, e.rect.col};
  }

  // Steps that give or await a signal, by element; those that device data choose are left out ...
  struct Users {
    std::vector<uint32_t> notifies, waits;
  };
  const std::map<SignalCell, Users>& cells() const { return cells_; }
  // ... and make what is known of their window incomplete.
  bool is_uncertain(ir::VarId window) const { return uncertain_.contains(window); }
  const std::map<ir::VarId, const Place*>& uncertain() const { return uncertain_; }

  std::string task_text(uint32_t step) const;    // "rank 1, task push[e=3]"
  std::string signal_text(uint32_t step) const;  // "arrived[0, 0]"

 private:
  void add_rank(uint32_t rank, const platform::RuntimeRules& rules);

  const ir::Plan& plan_;
  std::span<const ir::TaskGraph> ranks_;
  std::vector<RankStep> steps_;
  std::vector<std::vector<uint32_t>> preds_;
  std::map<SignalCell, Users> cells_;
  std::map<ir::VarId, const Place*> uncertain_;
};

}  // namespace tilewright::compile
