#include "tilewright/cpu/lower/softmax.h"

#include "tilewright/cpu/ops/tile_scalar.h"

namespace tilewright::cpu {
namespace {

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
    if (n == 0) return Flow::Next;
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
  ops::TileScalar scale_;
  Operand max_, weights_, sum_;
  Dims weights_strides_, column_strides_;
};

}  // namespace

std::unique_ptr<Step> softmax_step(const ir::SoftmaxGroup& softmax, const ContextOf& context) {
  return std::make_unique<SoftmaxStep>(context(softmax.scale), context(softmax.max),
                                       context(softmax.narrow), context(softmax.sum));
}

}  // namespace tilewright::cpu
