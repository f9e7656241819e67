#include "tilewright/cpu/softmax.h"

#include <algorithm>
#include <array>
#include <optional>

#include "tilewright/cpu/ops/whole.h"

namespace tilewright::cpu {
namespace {

using ir::OpKind;

constexpr std::array<OpKind, kSoftmaxStatements> kKinds = {OpKind::Mul,          OpKind::RowMax,
                                                           OpKind::RowExpandSub, OpKind::Exp,
                                                           OpKind::Cast,         OpKind::Cast,
                                                           OpKind::RowSum};

using Ops = std::array<const ir::Op*, kSoftmaxStatements>;

std::optional<Ops> ops_of(std::span<const ir::Stmt> statements) {
  if (statements.size() < kSoftmaxStatements) return std::nullopt;
  Ops ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i] = statements[i].as<ir::Op>();
    if (!ops[i] || ops[i]->kind != kKinds[i]) return std::nullopt;
  }
  return ops;
}

class Matcher {
 public:
  Matcher(const ir::Program& program, const Aliases& aliases)
      : program_(program), aliases_(aliases) {}

  bool match(const Ops& ops) const {
    const auto& [scale, max, difference, power, narrow, widen, sum] = ops;
    return scale->scalar && tile(scale->args[0], DType::F32) && tile(scale->dst, DType::F32) &&
           max->args[0] == scale->dst && difference->args[0] == scale->dst &&
           difference->args[1] == max->dst && power->args[0] == difference->dst &&
           narrow->args[0] == power->dst && narrow->cast_mode == ir::CastMode::Rint &&
           tile(narrow->dst, DType::BF16) && widen->args[0] == narrow->dst &&
           tile(widen->dst, DType::F32) && sum->args[0] == widen->dst &&
           only(scale->dst, {max, difference}) && only(difference->dst, {power}) &&
           only(power->dst, {narrow}) && only(widen->dst, {sum}) &&
           !aliases_.is_argument(max->dst) && !aliases_.is_argument(narrow->dst) &&
           !aliases_.is_argument(sum->dst);
  }

 private:
  bool tile(ir::VarId v, DType t) const {
    return program_[v].dtype == t && program_[v].shape.size() == 2;
  }
  // A value that is made here and that only these read.
  bool only(ir::VarId v, const std::vector<const ir::Op*>& readers) const {
    return aliases_.writers(v).size() == 1 && !aliases_.read_as_scalar(v) &&
           aliases_.readers(v) == readers;
  }

  const ir::Program& program_;
  const Aliases& aliases_;
};

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

bool is_softmax(const ir::Program& program, std::span<const ir::Stmt> statements,
                const Aliases& aliases) {
  const std::optional<Ops> ops = ops_of(statements);
  return ops && Matcher(program, aliases).match(*ops);
}

std::unique_ptr<Step> softmax_step(const ir::Program& program, std::span<const ir::Stmt> statements,
                                   const Aliases& aliases,
                                   const std::function<OpContext(const ir::Op&)>& context) {
  if (!is_softmax(program, statements, aliases)) return nullptr;
  const Ops ops = ops_of(statements).value();
  const auto& [scale, max, difference, power, narrow, widen, sum] = ops;
  return std::make_unique<SoftmaxStep>(context(*scale), context(*max), context(*narrow),
                                       context(*sum));
}

}  // namespace tilewright::cpu
