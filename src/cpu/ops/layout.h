// What ops that move values share: a result made anew, and rows copied into it.
#pragma once

#include <cstring>
#include <vector>

#include "tilewright/cpu/lower/operand.h"

namespace tilewright::cpu::ops {

class LayoutStep : public Step {
 public:
  explicit LayoutStep(const OpContext& c) : LayoutStep(c.dst, c.args) {}
  LayoutStep(const Operand& dst, std::vector<Operand> args)
      : dst_(dst), args_(std::move(args)), strides_(dense_strides(dst_.rank, dst_.shape)) {}

 protected:
  View& result(Frame& f, const Dims& valid) const { return make_tile(f, dst_, strides_, valid); }
  const View& arg(const Frame& f, std::size_t n) const { return f.views[args_[n].var]; }
  // Rows of `from`, a view of operand n, copied into rows of the result that start at `to`.
  void copy_rows(const View& from, std::size_t n, std::byte* to) const {
    Dims extent = from.valid;
    std::array<Dims, 2> strides{from.stride, strides_};
    const int rank = merged_rows(args_[n].rank, extent, strides);
    const auto last = static_cast<std::size_t>(rank - 1);
    const int64_t step = strides[0][last];
    for_each_row<2>(rank, extent, strides, [&](const auto& o) {
      const std::byte* x = from.data + o[0] * dst_.bytes;
      std::byte* y = to + o[1] * dst_.bytes;
      if (step == 1) {
        std::memmove(y, x, static_cast<std::size_t>(extent[last] * dst_.bytes));
        return;
      }
      for (int64_t i = 0; i < extent[last]; ++i)
        std::memcpy(y + i * dst_.bytes, x + i * step * dst_.bytes,
                    static_cast<std::size_t>(dst_.bytes));
    });
  }

  Operand dst_;
  std::vector<Operand> args_;
  Dims strides_;
};

}  // namespace tilewright::cpu::ops
