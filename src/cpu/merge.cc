#include "tilewright/cpu/merge.h"

#include <algorithm>

namespace tilewright::cpu {
namespace {

using ir::OpKind;

constexpr std::array kKinds = {OpKind::Maximum,      OpKind::Sub, OpKind::Exp,
                               OpKind::Sub,          OpKind::Exp, OpKind::Mul,
                               OpKind::Mul,          OpKind::Add, OpKind::RowExpandMul,
                               OpKind::RowExpandMul, OpKind::Add, OpKind::Copy};

bool reads(const ir::Op* op, ir::VarId a, ir::VarId b) {
  return op->args.size() == 2 && op->args[0] == a && op->args[1] == b;
}

bool matches(const Pattern& p, const OpsOf<kKinds>& ops) {
  const auto& [max, down, alpha, block_down, beta, old_sum, block_sum, sum, old_out, block_out, out,
               keep] = ops;
  if (max->args.size() != 2 || old_sum->args.size() != 2 || block_sum->args.size() != 2)
    return false;
  const ir::VarId m = max->args[0];
  const ir::VarId block_m = max->args[1];
  const bool flows = reads(down, m, max->dst) && alpha->args[0] == down->dst &&
                     reads(block_down, block_m, max->dst) && beta->args[0] == block_down->dst &&
                     reads(old_sum, alpha->dst, sum->dst) && block_sum->args[0] == beta->dst &&
                     reads(sum, old_sum->dst, block_sum->dst) &&
                     reads(old_out, out->dst, alpha->dst) && block_out->args[1] == beta->dst &&
                     reads(out, old_out->dst, block_out->dst) && keep->args[0] == max->dst &&
                     keep->dst == m;
  const bool between = p.is_between(max->dst, {down, block_down, keep}) &&
                       p.is_between(down->dst, {alpha}) && p.is_between(block_down->dst, {beta}) &&
                       p.is_between(alpha->dst, {old_sum, old_out}) &&
                       p.is_between(beta->dst, {block_sum, block_out}) &&
                       p.is_between(old_sum->dst, {sum}) && p.is_between(block_sum->dst, {sum}) &&
                       p.is_between(old_out->dst, {out}) && p.is_between(block_out->dst, {out});
  const bool own = p.is_own(m) && p.is_own(sum->dst) && p.is_own(out->dst);
  return flows && between && own && std::ranges::all_of(ops, [&](const ir::Op* op) {
           return p.is_tile(op->dst, DType::F32) && std::ranges::all_of(op->args, [&](ir::VarId a) {
                    return p.is_tile(a, DType::F32);
                  });
         });
}

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

std::optional<Fused> merge_step(std::span<const ir::Stmt> statements, const Pattern& pattern,
                                const ContextOf& context) {
  const auto ops = ops_of_kinds(statements, kKinds);
  if (!ops || !matches(pattern, *ops)) return {};
  const auto& [max, down, alpha, block_down, beta, old_sum, block_sum, sum, old_out, block_out, out,
               keep] = *ops;
  return Fused{std::make_unique<MergeStep>(context(*max), context(*block_sum), context(*sum),
                                           context(*block_out), context(*out)),
               ops->size()};
}

}  // namespace tilewright::cpu
