// Whether one submission certainly ends before another starts.
#pragma once

#include <algorithm>
#include <vector>

#include "tilewright/ir/runtime_graph.h"

namespace tilewright::compile {

// Is there a chain of runtime edges from one submission to another?
class Reachability {
 public:
  explicit Reachability(const ir::RuntimeGraph& order)
      : order_(order), visited_(order.submissions(), 0) {}

  bool leads(uint32_t from, uint32_t to) {
    if (from == to) return false;
    if (searched_ != to) {
      searched_ = to;
      ++stamp_;
      const auto direct = order_.preds_of(to);
      frontier_.assign(direct.begin(), direct.end());
      for (uint32_t n : frontier_) visited_[n] = stamp_;
    }
    while (visited_[from] != stamp_ && !frontier_.empty()) {
      // Newest first: an ancestor older than `from` cannot lead to it, so stop expanding there.
      const auto newest = std::ranges::max_element(frontier_);
      const uint32_t n = *newest;
      if (n < from) break;
      *newest = frontier_.back();
      frontier_.pop_back();
      for (uint32_t p : order_.preds_of(n)) {
        if (visited_[p] == stamp_) continue;
        visited_[p] = stamp_;
        frontier_.push_back(p);
      }
    }
    return visited_[from] == stamp_;
  }

 private:
  const ir::RuntimeGraph& order_;
  uint32_t searched_ = UINT32_MAX;
  uint32_t stamp_ = 0;
  std::vector<uint32_t> visited_;
  std::vector<uint32_t> frontier_;
};

}  // namespace tilewright::compile
