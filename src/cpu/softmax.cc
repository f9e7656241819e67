#include "tilewright/cpu/softmax.h"

#include "tilewright/cpu/ops/whole.h"

namespace tilewright::cpu {
namespace {

using ir::OpKind;

constexpr std::array kKinds = {OpKind::Mul,  OpKind::RowMax, OpKind::RowExpandSub, OpKind::Exp,
                               OpKind::Cast, OpKind::Cast,   OpKind::RowSum};

bool matches(const Pattern& p, const OpsOf<kKinds>& ops) {
  const auto& [scale, max, difference, power, narrow, widen, sum] = ops;
  return scale->scalar && p.is_tile(scale->args[0], DType::F32) &&
         p.is_tile(scale->dst, DType::F32) && max->args[0] == scale->dst &&
         difference->args[0] == scale->dst && difference->args[1] == max->dst &&
         power->args[0] == difference->dst && narrow->args[0] == power->dst &&
         narrow->cast_mode == ir::CastMode::Rint && p.is_tile(narrow->dst, DType::BF16) &&
         widen->args[0] == narrow->dst && p.is_tile(widen->dst, DType::F32) &&
         sum->args[0] == widen->dst && p.is_between(scale->dst, {max, difference}) &&
         p.is_between(difference->dst, {power}) && p.is_between(power->dst, {narrow}) &&
         p.is_between(widen->dst, {sum}) && p.is_own(max->dst) && p.is_own(narrow->dst) &&
         p.is_own(sum->dst);
}

class SoftmaxStep : public Step {
 public:
  SoftmaxStep(const OpContext& scale, const OpContext& max, const OpContext& narrow,
              const OpContext& sum)
      : scores_(scale.args[0]),
        scale_(scale),
        max_(max.dst),
        weights_(narrow.dst),
        sum_(sum.dst),
        weights_strides_(dense_strides(weights_.rank, weights_.shape)),
        column_strides_(dense_strides(max_.rank, max_.shape)) {}

  Flow run(Frame& f) const override {
    const View scores = f.views[scores_.var];
    const int64_t rows = scores.valid[0];
    const int64_t n = scores.valid[1];
    const float scale = scale_.as_float(f);
    const View& weights = make_tile(f, weights_, weights_strides_, scores.valid);
    auto* max = reinterpret_cast<float*>(make_tile(f, max_, column_strides_, {rows, 1}).data);
    auto* sum = reinterpret_cast<float*>(make_tile(f, sum_, column_strides_, {rows, 1}).data);
    auto* buffer = reinterpret_cast<float*>(f.scratch);
    for (int64_t m = 0; m < rows; ++m) {
      const auto* x = reinterpret_cast<const float*>(scores.data) + m * scores.stride[0];
      auto* out = reinterpret_cast<uint16_t*>(weights.data) + m * weights_strides_[0];
      const simd::SoftmaxSums sums = f.kernels->softmax_row(x, scale, n, buffer, out, f.stream);
      max[m] = sums.max;
      sum[m] = sums.sum;
    }
    return Flow::Next;
  }

 private:
  Operand scores_;
  ops::ScalarOfTile scale_;
  Operand max_, weights_, sum_;
  Dims weights_strides_, column_strides_;
};

}  // namespace

std::optional<Fused> softmax_step(std::span<const ir::Stmt> statements, const Pattern& pattern,
                                  const ContextOf& context) {
  const auto ops = ops_of_kinds(statements, kKinds);
  if (!ops || !matches(pattern, *ops)) return {};
  const auto& [scale, max, difference, power, narrow, widen, sum] = *ops;
  return Fused{std::make_unique<SoftmaxStep>(context(*scale), context(*max), context(*narrow),
                                             context(*sum)),
               ops->size()};
}

}  // namespace tilewright::cpu
