// A window of a variable: where it starts and how much of it is real.
#pragma once

#include <algorithm>
#include <vector>

#include "tilewright/cpu/lower/operand.h"
#include "tilewright/cpu/lower/scalar.h"
#include "tilewright/cpu/simd/encoded.h"

namespace tilewright::cpu::ops {

class Window {
 public:
  // `offset` has one entry per dimension of `parent`; `shape` may drop leading dimensions.
  Window(const Operand& parent, int rank, const Dims& shape, const std::vector<ir::Expr>& offset,
         const std::vector<ir::Expr>& valid)
      : parent_(parent),
        rank_(rank),
        shape_(shape),
        offset_(integers(offset)),
        valid_(integers(valid)),
        missing_(parent.dims() - static_cast<std::size_t>(rank)) {}

  int rank() const { return rank_; }

  // Elements that both exist in the parent and are asked for, in the dimensions of the window.
  View at(const Frame& f) const {
    const View& p = f.views[parent_.var];
    View v;
    int64_t start = 0;
    for (std::size_t d = 0; d < offset_.size(); ++d) {
      const bool in_blocks = parent_.block > 1 && d + 1 == offset_.size();
      const int64_t o = in_blocks ? offset_[d].value(f) / parent_.block : offset_[d].value(f);
      if (parent_.packed) {
        start += d == packed_row_ ? o * packed_step_ : o / simd::kPanel * p.stride[0];
      } else {
        start += o * p.stride[d];
      }
      if (d < missing_) continue;
      const std::size_t w = d - missing_;
      v.stride[w] = p.stride[d];
      v.valid[w] = valid_.empty() ? std::clamp<int64_t>(p.valid[d] - o, 0, shape_[w])
                                  : valid_[w].value(f) / (in_blocks ? parent_.block : 1);
    }
    v.data = p.data + start * parent_.bytes;
    return v;
  }

  void set_packed_row(std::size_t dimension) {
    packed_row_ = dimension;
    if (parent_.block > 1) packed_step_ = simd::panel_layout(parent_.dtype).bytes;
  }

 private:
  Operand parent_;
  int rank_;
  Dims shape_;
  std::vector<Integer> offset_, valid_;
  std::size_t missing_;
  std::size_t packed_row_ = 0;          // which dimension of a packed weight is k
  int64_t packed_step_ = simd::kPanel;  // from one k, or block of k, of a panel to the next
};

}  // namespace tilewright::cpu::ops
