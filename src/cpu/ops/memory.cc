// Family memory: tiles made, filled, loaded from windows and stored to them.
#include <algorithm>
#include <cstring>

#include "tilewright/base/check.h"
#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/cpu/ops/makers.h"
#include "tilewright/cpu/ops/tile_scalar.h"
#include "tilewright/cpu/ops/window.h"

namespace tilewright::cpu::ops {
namespace {

class Create : public Step {
 public:
  explicit Create(const Operand& dst) : dst_(dst), strides_(dense_strides(dst.rank, dst.shape)) {}
  Flow run(Frame& f) const override {
    make_tile(f, dst_, strides_, dst_.shape);
    return Flow::Next;
  }

 private:
  Operand dst_;
  Dims strides_;
};

// Fills memory with copies of its first element; every copy doubles what is filled.
void repeat(std::byte* data, int64_t element, int64_t total) {
  for (int64_t filled = element; filled < total; filled *= 2)
    std::memcpy(data + filled, data, static_cast<std::size_t>(std::min(filled, total - filled)));
}

class Full : public Step {
 public:
  explicit Full(const OpContext& c)
      : dst_(c.dst), strides_(dense_strides(dst_.rank, dst_.shape)), value_(c) {}
  Flow run(Frame& f) const override {
    const View& v = make_tile(f, dst_, strides_, dst_.shape);
    if (is_float(dst_.dtype)) {
      const float x = value_.as_float(f);
      store_floats(*f.kernels, dst_.dtype, &x, v.data, 1, 1);
    } else {
      const int64_t x = value_.as_whole(f);
      store_integers(dst_.dtype, &x, v.data, 1, 1);
    }
    repeat(v.data, dst_.bytes, dst_.elements() * dst_.bytes);
    return Flow::Next;
  }

 private:
  Operand dst_;
  Dims strides_;
  TileScalar value_;
};

// Bytes of a block, row by row; a last dimension that is not contiguous goes element by element.
void copy_block(const View& from, const View& to, int rank, const Dims& extent, int64_t bytes) {
  const auto last = static_cast<std::size_t>(rank - 1);
  const int64_t n = extent[last];
  const bool dense = from.stride[last] == 1 && to.stride[last] == 1;
  for_each_row<2>(rank, extent, {from.stride, to.stride}, [&](const auto& at) {
    const std::byte* x = from.data + at[0] * bytes;
    std::byte* y = to.data + at[1] * bytes;
    if (dense) {
      std::memmove(y, x, static_cast<std::size_t>(n * bytes));
      return;
    }
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(y + i * to.stride[last] * bytes, x + i * from.stride[last] * bytes,
                  static_cast<std::size_t>(bytes));
  });
}

// slice and load that must copy; a transposed load swaps rows and columns on the way.
class LoadWindow : public Step {
 public:
  explicit LoadWindow(const OpContext& c)
      : dst_(c.dst),
        strides_(dense_strides(dst_.rank, dst_.shape)),
        swap_(c.op.transpose),
        window_(c.args[0], dst_.rank, swapped(dst_.shape), c.op.offset, swapped(c.op.valid)) {
    check(c.args[0].dtype == dst_.dtype && !c.args[0].packed, "a load does not convert");
  }
  Flow run(Frame& f) const override {
    View from = window_.at(f);
    if (swap_) {
      std::swap(from.stride[0], from.stride[1]);
      std::swap(from.valid[0], from.valid[1]);
    }
    const View& to = make_tile(f, dst_, strides_, from.valid);
    copy_block(from, to, dst_.rank, from.valid, dst_.bytes);
    return Flow::Next;
  }

 private:
  template <class List>
  List swapped(List list) const {
    if (swap_ && list.size() >= 2) std::swap(list[0], list[1]);
    return list;
  }
  Operand dst_;
  Dims strides_;
  bool swap_;
  Window window_;
};

// assemble and store: the valid block of the source replaces a window, or is added to it.
class StoreWindow : public Step {
 public:
  explicit StoreWindow(const OpContext& c)
      : src_(c.args[0]),
        dst_(c.dst),
        offset_(integers(c.op.offset)),
        add_(c.op.atomic_add),
        missing_(dst_.dims() - src_.dims()) {
    check(src_.dtype == dst_.dtype, "a store does not convert");
  }
  Flow run(Frame& f) const override {
    const View& src = f.views[src_.var];
    View from, to;
    from.data = src.data;
    to = f.views[dst_.var];
    for (std::size_t d = 0; d < dst_.dims(); ++d) {
      to.data += offset_[d].value(f) * to.stride[d] * dst_.bytes;
      from.stride[d] = d < missing_ ? 0 : src.stride[d - missing_];
      from.valid[d] = d < missing_ ? 1 : src.valid[d - missing_];
    }
    if (add_)
      add_block(f, from, to);
    else
      copy_block(from, to, dst_.rank, from.valid, dst_.bytes);
    return Flow::Next;
  }

 private:
  void add_block(Frame& f, const View& from, const View& to) const {
    const auto last = dst_.dims() - 1;
    const int64_t n = from.valid[last];
    const DType t = dst_.dtype;
    for_each_row<2>(dst_.rank, from.valid, {from.stride, to.stride}, [&](const auto& at) {
      const std::byte* x = from.data + at[0] * dst_.bytes;
      std::byte* y = to.data + at[1] * dst_.bytes;
      if (is_float(t)) {
        auto* a = reinterpret_cast<float*>(f.scratch);
        const float* p = float_row(*f.kernels, t, x, from.stride[last], n, a);
        const float* q = float_row(*f.kernels, t, y, to.stride[last], n, a + n);
        f.kernels->binary[simd::kAdd](q, 1, p, 1, a, n);
        store_floats(*f.kernels, t, a, y, to.stride[last], n);
        return;
      }
      auto* a = reinterpret_cast<int64_t*>(f.scratch);
      integer_row(t, x, from.stride[last], n, a);
      integer_row(t, y, to.stride[last], n, a + n);
      for (int64_t i = 0; i < n; ++i)
        a[i] = wrapped(t, static_cast<int64_t>(static_cast<uint64_t>(a[i]) +
                                               static_cast<uint64_t>(a[n + i])));
      store_integers(t, a, y, to.stride[last], n);
    });
  }

  Operand src_, dst_;
  std::vector<Integer> offset_;
  bool add_;
  std::size_t missing_;
};

class StoreWhole : public Step {
 public:
  StoreWhole(const Operand& from, const Operand& to) : from_(from), to_(to) {}
  Flow run(Frame& f) const override {
    const View& from = f.views[from_.var];
    copy_block(from, f.views[to_.var], from_.rank, from.valid, from_.bytes);
    return Flow::Next;
  }

 private:
  Operand from_, to_;
};

}  // namespace

StepPtr create_step(const OpContext& c) { return std::make_unique<Create>(c.dst); }
StepPtr full_step(const OpContext& c) { return std::make_unique<Full>(c); }
StepPtr load_step(const OpContext& c) { return std::make_unique<LoadWindow>(c); }
StepPtr store_step(const OpContext& c) { return std::make_unique<StoreWindow>(c); }

StepPtr store_whole_step(const Operand& from, const Operand& to) {
  return std::make_unique<StoreWhole>(from, to);
}

}  // namespace tilewright::cpu::ops
