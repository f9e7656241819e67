#include "tilewright/cpu/lower/merge.h"

#include <algorithm>

namespace tilewright::cpu {
namespace {

class MergeStep : public Step {
 public:
  MergeStep(const OpContext& max, const OpContext& block_sum, const OpContext& sum,
            const OpContext& block_out, const OpContext& out)
      : max_(max.args[0]),
        block_max_(max.args[1]),
        sum_(sum.dst),
        block_sum_(block_sum.args[1]),
        out_(out.dst),
        block_out_(block_out.args[0]) {
    max.scratch = std::max(max.scratch, kColumns * max_.shape[0] * 4);
  }

  Flow run(Frame& f) const override {
    const int64_t rows = f.views[max_.var].valid[0];
    const simd::Kernels& k = *f.kernels;
    auto* column = reinterpret_cast<float*>(f.scratch);
    float* const m = numbers(f, max_, rows, column);
    float* const block_m = numbers(f, block_max_, rows, column + rows);
    float* const l = numbers(f, sum_, rows, column + 2 * rows);
    float* const block_l = numbers(f, block_sum_, rows, column + 3 * rows);
    float* const alpha = column + 4 * rows;
    float* const beta = column + 5 * rows;
    float* const most = column + 6 * rows;
    k.binary[simd::kMax](m, 1, block_m, 1, most, rows);
    k.binary[simd::kSub](m, 1, most, 1, alpha, rows);
    k.unary[simd::kExp](alpha, alpha, rows);
    k.binary[simd::kSub](block_m, 1, most, 1, beta, rows);
    k.unary[simd::kExp](beta, beta, rows);
    k.binary[simd::kMul](alpha, 1, l, 1, l, rows);
    k.binary[simd::kMul](beta, 1, block_l, 1, block_l, rows);
    k.binary[simd::kAdd](l, 1, block_l, 1, l, rows);
    put(f, sum_, rows, l);
    put(f, max_, rows, most);
    const View& out = f.views[out_.var];
    const View& block = f.views[block_out_.var];
    for (int64_t r = 0; r < rows; ++r)
      k.mix_rows(row(out, r), alpha[r], row(block, r), beta[r], out.valid[1]);
    return Flow::Next;
  }

 private:
  static constexpr int64_t kColumns = 7;

  static float* row(const View& v, int64_t r) {
    return reinterpret_cast<float*>(v.data) + r * v.stride[0];
  }
  static float* numbers(const Frame& f, const Operand& o, int64_t rows, float* to) {
    for (int64_t r = 0; r < rows; ++r) to[r] = *row(f.views[o.var], r);
    return to;
  }
  static void put(const Frame& f, const Operand& o, int64_t rows, const float* from) {
    for (int64_t r = 0; r < rows; ++r) *row(f.views[o.var], r) = from[r];
  }

  Operand max_, block_max_, sum_, block_sum_, out_, block_out_;
};

}  // namespace

std::unique_ptr<Step> merge_step(const ir::MergeGroup& merge, const ContextOf& context) {
  return std::make_unique<MergeStep>(context(merge.max), context(merge.block_sum),
                                     context(merge.sum), context(merge.block_out),
                                     context(merge.out));
}

}  // namespace tilewright::cpu
