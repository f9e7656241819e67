// Which rows a step has and where they stand: the arrays that its layer program reads to make
// tasks, and those that the tasks read. The engine fills them for every step it runs, a prediction
// for the one it predicts.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "tilewright/models/transformer/rope_angles.h"
#include "tilewright/models/transformer/step_program.h"
#include "tilewright/runtime/attention_tiles.h"
#include "tilewright/runtime/page_table.h"

namespace tilewright::runtime {

class StepRows {
 public:
  // `make` gives a zeroed array, bound to the parameter of this name, that outlives this.
  using Make = std::function<HostArray&(std::string_view)>;
  StepRows(const models::transformer::StepSizes& sizes, const Make& make);

  PageTable& pages() { return pages_; }
  const PageTable& pages() const { return pages_; }

  // The tiles of attention: `runs` are those of every sequence of the step, in their order. Whether
  // tasks that were made before are no longer those of the step.
  bool set_runs(const std::vector<RowRun>& runs);
  // A row is the token of a slot at a position, for which the slot has a page.
  void place(int64_t row, int slot, int64_t position);

 private:
  models::transformer::StepSizes sizes_;
  std::vector<AttentionTile> made_;  // what the arrays hold
  HostArray &counts_, &tiles_, &positions_, &slots_, &cache_rows_, &cos_, &sin_;
  PageTable pages_;
  models::transformer::RopeAngles rope_;
};

}  // namespace tilewright::runtime
