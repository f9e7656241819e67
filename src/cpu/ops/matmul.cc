// Family matmul: operands are brought into the form the kernels of `simd` multiply; one FP32 (or
// wrapping INT32) accumulator per element, in the order of the kernels.
#include <algorithm>

#include "tilewright/cpu/ops/integer_product.h"
#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/cpu/ops/makers.h"
#include "tilewright/cpu/ops/product.h"

namespace tilewright::cpu::ops {
namespace {

using ir::OpKind;

struct Extents {
  int64_t m = 0, n = 0, k = 0;
};

// Strides of the batch dimensions of an operand in a result of another rank; repeated ones are 0.
Dims batch_strides(const Operand& o, const View& v, int rank) {
  Dims out{};
  const int missing = rank - o.rank;
  for (int d = missing; d + 2 < rank; ++d) {
    const auto from = static_cast<std::size_t>(d - missing);
    out[static_cast<std::size_t>(d)] = o.shape[from] == 1 ? 0 : v.stride[from];
  }
  return out;
}

class MatmulStep : public Step {
 public:
  explicit MatmulStep(const OpContext& c)
      : kind_(c.op.kind),
        a_trans_(c.op.a_trans),
        b_trans_(c.op.b_trans),
        dst_(c.dst),
        args_(c.args),
        read_next_(c.read_next),
        strides_(dense_strides(dst_.rank, dst_.shape)) {
    const Operand& a = args_[0];
    const Operand& b = args_[1];
    k_shape_ = a_trans_ ? a.shape[a.dims() - 2] : a.cols();
    m_shape_ = a_trans_ ? a.cols() : a.shape[a.dims() - 2];
    n_shape_ = dst_.cols();
    direct_ = dst_.dtype == DType::F32 || dst_.dtype == DType::I32;
    left_ = {a, a_trans_};
    right_ = {b, b_trans_};
    acc_at_ = reserve_product(c, right_, m_shape_, k_shape_);
    c.scratch = std::max(c.scratch, acc_at_ + (direct_ ? 0 : m_shape_ * n_shape_ * 4));
  }

  Flow run(Frame& f) const override {
    const View a = f.views[args_[0].var];
    const View b = f.views[args_[1].var];
    const auto ra = args_[0].dims();
    const auto rb = args_[1].dims();
    const Extents e{a.valid[ra - (a_trans_ ? 1 : 2)], b.valid[rb - (b_trans_ ? 2 : 1)],
                    a.valid[ra - (a_trans_ ? 2 : 1)]};
    const View& out = kind_ == OpKind::MatmulAcc ? f.views[dst_.var] : start(f, a, b, e);
    Dims batches = out.valid;
    const auto rank = dst_.dims();
    batches[rank - 2] = 1;
    for_each_row<3>(dst_.rank - 1, batches,
                    {batch_strides(args_[0], a, dst_.rank), batch_strides(args_[1], b, dst_.rank),
                     out.stride},
                    [&](const auto& at) { multiply(f, a, b, out, e, at); });
    return Flow::Next;
  }

 private:
  const View& start(Frame& f, const View& a, const View& b, const Extents& e) const {
    Dims valid{};
    const auto rank = dst_.dims();
    for (std::size_t d = 0; d + 2 < rank; ++d) {
      const auto of = [&](const Operand& o, const View& v) {
        const std::size_t missing = rank - o.dims();
        return d < missing || o.shape[d - missing] == 1 ? int64_t{0} : v.valid[d - missing];
      };
      valid[d] = std::max<int64_t>({of(args_[0], a), of(args_[1], b), 1});
    }
    valid[rank - 2] = e.m;
    valid[rank - 1] = e.n;
    return make_tile(f, dst_, strides_, valid);
  }

  template <class At>
  void multiply(Frame& f, const View& a, const View& b, const View& out, const Extents& e,
                const At& at) const {
    std::byte* c = out.data + at[2] * dst_.bytes;
    const int64_t c_stride = out.stride[dst_.dims() - 2];
    if (!is_float(args_[0].dtype)) return multiply_integers(f, a, b, c, c_stride, e, at);
    float* acc =
        direct_ ? reinterpret_cast<float*>(c) : reinterpret_cast<float*>(f.scratch + acc_at_);
    const int64_t stride = direct_ ? c_stride : n_shape_;
    if (kind_ == OpKind::MatmulBias)
      for (int64_t m = 0; m < e.m; ++m) start_row(f, acc + m * stride, e.n);
    const bool fresh = kind_ == OpKind::Matmul || kind_ == OpKind::Gemv;
    const Right right{&right_, &b, at[1], acc, stride, e.n, fresh, read_next(f)};
    add_products(f, left_, a, at[0], e.m, e.k, {&right, 1});
    if (direct_) return;
    for (int64_t m = 0; m < e.m; ++m)
      store_floats(*f.kernels, dst_.dtype, acc + m * stride, c + m * c_stride * dst_.bytes, 1, e.n);
  }

  simd::Stream read_next(const Frame& f) const {
    if (!read_next_) return {};
    const View& v = f.views[read_next_->var];
    return {v.data, v.valid[0] * v.stride[0] * read_next_->bytes};
  }

  void start_row(Frame& f, float* row, int64_t n) const {
    const View& bias = f.views[args_[2].var];
    std::copy_n(reinterpret_cast<const float*>(bias.data), n, row);
  }

  // Products and sums modulo 2^32.
  template <class At>
  void multiply_integers(Frame& f, const View& a, const View& b, std::byte* c, int64_t c_stride,
                         const Extents& e, const At& at) const {
    const auto matrix = [](const Operand& o, const View& v, int64_t base, bool trans) {
      const int64_t rows = v.stride[o.dims() - 2];
      const int64_t cols = v.stride[o.dims() - 1];
      return WholeMatrix{v.data + base * o.bytes, trans ? cols : rows, trans ? rows : cols};
    };
    auto* out = reinterpret_cast<uint32_t*>(c);
    for (int64_t m = 0; m < e.m && kind_ != OpKind::MatmulAcc; ++m) {
      uint32_t* row = out + m * c_stride;
      if (kind_ == OpKind::MatmulBias)
        std::copy_n(reinterpret_cast<const uint32_t*>(f.views[args_[2].var].data), e.n, row);
      else
        std::fill_n(row, e.n, 0u);
    }
    if (args_[0].dtype == DType::I8) {
      const Right right{&right_, &b, at[1], reinterpret_cast<float*>(c), c_stride, e.n};
      return add_products(f, left_, a, at[0], e.m, e.k, {&right, 1});
    }
    add_whole_product(args_[0].dtype,
                      {matrix(args_[0], a, at[0], a_trans_), matrix(args_[1], b, at[1], b_trans_),
                       e.m, e.k, e.n, out, c_stride});
  }

  OpKind kind_;
  bool a_trans_, b_trans_, direct_ = true;
  Operand dst_;
  std::vector<Operand> args_;
  std::optional<Operand> read_next_;
  Dims strides_;
  int64_t m_shape_ = 0, n_shape_ = 0, k_shape_ = 0;
  Factor left_, right_;
  int64_t acc_at_ = 0;  // in Frame::scratch, when the sums are not the result
};

}  // namespace

StepPtr matmul_step(const OpContext& c) { return std::make_unique<MatmulStep>(c); }

}  // namespace tilewright::cpu::ops
