// Binary ops of floats: FP32 per element, rounded once to the result's type.
#include "tilewright/cpu/ops/pairwise.h"

namespace tilewright::cpu::ops {
namespace {

class FloatPair : public Pairwise {
 public:
  FloatPair(const OpContext& c, simd::Binary op)
      : Pairwise(c),
        op_(op),
        plain_(dst_.rank == 2 && dst_.dtype == DType::F32 && plain(a_) && (!b_ || plain(*b_))) {}
  Flow run(Frame& f) const override {
    const float scalar = float_scalar(f);
    const auto combine = f.kernels->binary[op_];
    if (plain_ && run_plain(f, combine, scalar)) return Flow::Next;
    const bool direct = dst_.dtype == DType::F32;
    for_each_floats(f, scalar,
                    [&](const Row& r, const float* a, int64_t a_step, const float* b,
                        int64_t b_step) {
                      float* out = direct ? reinterpret_cast<float*>(r.out)
                                          : reinterpret_cast<float*>(f.scratch) + 2 * r.n;
                      combine(a, a_step, b, b_step, out, r.n);
                      if (!direct) store_floats(*f.kernels, dst_.dtype, out, r.out, 1, r.n);
                    });
    return Flow::Next;
  }

 private:
  using Combine = void (*)(const float*, int64_t, const float*, int64_t, float*, int64_t);

  static bool plain(const Broadcast& x) {
    return x.operand().rank == 2 && x.operand().dtype == DType::F32;
  }

  // FP32 in two dimensions, nearly all there is: no row needs widening, and a block whose rows
  // follow each other is one row. Attention has a dozen such ops on a few numbers per block.
  bool run_plain(Frame& f, Combine combine, float scalar) const {
    const View& a = f.views[a_.operand().var];
    const View& b = b_ ? f.views[b_->operand().var] : a;
    const auto step = [](const Broadcast& x, const View& v, std::size_t d) {
      return x.moves(d) ? v.stride[d] : 0;
    };
    const Dims valid{a_.moves(0) || !b_ ? a.valid[0] : b.valid[0],
                     a_.moves(1) || !b_ ? a.valid[1] : b.valid[1]};
    const int64_t a0 = step(a_, a, 0), a1 = step(a_, a, 1);
    const int64_t b0 = b_ ? step(*b_, b, 0) : 0, b1 = b_ ? step(*b_, b, 1) : 0;
    const auto walks = [](int64_t s) { return s == 0 || s == 1; };
    if (!walks(a1) || !walks(b1)) return false;
    const auto* x = reinterpret_cast<const float*>(a.data);
    const auto* y = b_ ? reinterpret_cast<const float*>(b.data) : &scalar;
    auto* out = reinterpret_cast<float*>(make_tile(f, dst_, strides_, valid).data);
    const int64_t n = valid[1];
    // One number per row counts as a row of its own when the result has one column.
    const auto dense = [&](int64_t s0, int64_t s1) {
      return (s1 == 1 && s0 == n) || (n == 1 && s0 == 1) || (s0 == 0 && s1 == 0);
    };
    const bool one = dense(a0, a1) && dense(b0, b1) && strides_[0] == n;
    const int64_t rows = one ? 1 : valid[0];
    const int64_t cols = one ? valid[0] * n : n;
    const auto unit = [&](int64_t s0, int64_t s1) { return one && n == 1 ? s0 : s1; };
    for (int64_t m = 0; m < rows; ++m)
      combine(x + m * a0, unit(a0, a1), y + m * b0, unit(b0, b1), out + m * strides_[0], cols);
    return true;
  }

  simd::Binary op_;
  bool plain_;
};

}  // namespace

StepPtr float_pair_step(const OpContext& c, simd::Binary op) {
  return std::make_unique<FloatPair>(c, op);
}

}  // namespace tilewright::cpu::ops
