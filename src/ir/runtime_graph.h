// The order a runtime keeps between submissions: what it knows of a TaskGraph under its rules. Made
// by `compile`, judged by the hazard check, executed by `sim`, so both speak of one rule set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tilewright/base/large_vector.h"

namespace tilewright::ir {

// Nodes are submissions: the blocks of one spmd launch are ready and finish as one.
struct RuntimeGraph {
  std::string rules;  // the name of the rules it follows
  // Tasks of submission s: [first_task[s], first_task[s + 1]).
  std::vector<uint32_t> first_task;
  // Submissions that s waits for: preds[pred_begin[s] .. pred_begin[s + 1]), each once.
  LargeVector<uint32_t> preds;
  std::vector<uint32_t> pred_begin;

  uint32_t submissions() const { return static_cast<uint32_t>(first_task.size() - 1); }
  std::span<const uint32_t> preds_of(uint32_t s) const {
    return {preds.data() + pred_begin[s], preds.data() + pred_begin[s + 1]};
  }
};

}  // namespace tilewright::ir
