#include "tilewright/compile/unroll/valid.h"

#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"

namespace tilewright::compile {
namespace {

using namespace ir;

struct Rule {
  const Op& op;
  const std::vector<Extent>& args;
  const Program& p;

  const Var& var(std::size_t i) const { return p[op.args[i]]; }
  const Var& dst() const { return p[op.dst]; }
  std::size_t rank(std::size_t i) const { return var(i).shape.size(); }
  std::string describe(std::size_t i) const {
    return fmt::format("{} valid {}", var(i).name, extent_text(args[i], rank(i)));
  }
  ValidResult must_be_full(std::size_t i) const {
    if (is_full(args[i], var(i))) return {full_extent(dst())};
    return {{}, fmt::format("{} needs all of {}, of which only {} is valid", op_name(op.kind),
                            var(i).name, extent_text(args[i], rank(i))), true};
  }
};

// Broadcast dimensions aside, both operands are valid in the same place.
ValidResult elementwise(const Rule& r) {
  const std::size_t rank = r.dst().shape.size();
  Extent out = full_extent(r.dst());
  std::vector<bool> set(rank, false);
  for (std::size_t i = 0; i < r.args.size(); ++i) {
    const std::size_t missing = rank - r.rank(i);
    for (std::size_t d = 0; d < r.rank(i); ++d) {
      if (r.var(i).shape[d] == 1 && r.dst().shape[d + missing] != 1) continue;
      if (set[d + missing] && out[d + missing] != r.args[i][d])
        return {{}, fmt::format("operands are valid in different places: {} and {}", r.describe(0),
                                r.describe(i))};
      out[d + missing] = r.args[i][d];
      set[d + missing] = true;
    }
  }
  return {out};
}

ValidResult product(const Rule& r) {
  const auto side = [&](std::size_t i, bool trans, bool rows) {
    const std::size_t n = r.rank(i);
    return r.args[i][rows != trans ? n - 2 : n - 1];
  };
  const int64_t m = side(0, r.op.a_trans, true);
  const int64_t k_a = side(0, r.op.a_trans, false);
  const int64_t k_b = side(1, r.op.b_trans, true);
  const int64_t n = side(1, r.op.b_trans, false);
  if (k_a != k_b)
    return {{}, fmt::format("the valid K is {} on the left and {} on the right: {} and {}", k_a, k_b,
                            r.describe(0), r.describe(1))};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t d = 0; d + 2 < r.rank(i); ++d)
      if (r.args[i][d] != r.var(i).shape[d])
        return {{}, fmt::format("a batched product needs whole batches: {}", r.describe(i))};
  Extent out = full_extent(r.dst());
  const std::size_t rank = r.dst().shape.size();
  out[rank - 2] = m;
  out[rank - 1] = n;
  return {out};
}

ValidResult product_with_bias(const Rule& r) {
  const ValidResult result = product(r);
  const int64_t n = result.extent[r.dst().shape.size() - 1];
  if (result.problem.empty() && r.args[2][1] != n)
    return {{}, fmt::format("the product has {} valid columns and the bias another number: {}", n,
                            r.describe(2))};
  return result;
}

// Sorts and merges take every element of every operand.
ValidResult all_full(const Rule& r) {
  for (std::size_t i = 0; i < r.args.size(); ++i)
    if (ValidResult result = r.must_be_full(i); !result.problem.empty()) return result;
  return {full_extent(r.dst())};
}

ValidResult gather(const Rule& r) {
  if (r.args[1][0] > r.args[0][0])
    return {{}, fmt::format("the index has more valid rows than the values: {} and {}", r.describe(1),
                            r.describe(0))};
  return {r.args[1]};
}

ValidResult gather_mask(const Rule& r) {
  Extent out = r.args[0];
  out[1] /= 2;
  return {out};
}

ValidResult concat(const Rule& r) {
  if (r.args[0][1] != r.var(0).shape[1] || r.args[0][0] != r.args[1][0])
    return {{}, fmt::format("concat needs all columns of its left side and equal rows: {} and {}",
                            r.describe(0), r.describe(1))};
  return {{r.args[0][0], r.args[0][1] + r.args[1][1]}};
}

ValidResult reduce(const Rule& r) {
  Extent out = r.args[0];
  const std::size_t rank = r.rank(0);
  out[r.op.kind == OpKind::ColSum ? rank - 2 : rank - 1] = 1;
  return {out};
}

}  // namespace

Extent full_extent(const Var& v) {
  Extent e{};
  std::copy(v.shape.begin(), v.shape.end(), e.begin());
  return e;
}

bool is_full(const Extent& e, const Var& v) {
  return std::equal(v.shape.begin(), v.shape.end(), e.begin());
}

std::string extent_text(const Extent& e, std::size_t rank) {
  return shape_text({e.begin(), e.begin() + static_cast<std::ptrdiff_t>(rank)});
}

ValidResult result_extent(const Op& op, const std::vector<Extent>& args, const Program& p) {
  const Rule r{op, args, p};
  switch (op.kind) {
    case OpKind::Create:
    case OpKind::Full:
    case OpKind::Arange:
    case OpKind::FillPad: return {full_extent(r.dst())};
    case OpKind::Move:
    case OpKind::Copy:
    case OpKind::Cast: return {args[0]};
    case OpKind::Reshape: return r.must_be_full(0);
    case OpKind::Concat: return concat(r);
    case OpKind::Transpose: return {{args[0][1], args[0][0]}};
    case OpKind::Matmul:
    case OpKind::MatmulAcc:
    case OpKind::Gemv: return product(r);
    case OpKind::MatmulBias: return product_with_bias(r);
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Cmp:
    case OpKind::Neg:
    case OpKind::Exp:
    case OpKind::Sqrt:
    case OpKind::Recip:
    case OpKind::Rsqrt:
    case OpKind::RowExpandAdd:
    case OpKind::RowExpandSub:
    case OpKind::RowExpandMul:
    case OpKind::RowExpandDiv:
    case OpKind::ColExpandAdd:
    case OpKind::ColExpandSub:
    case OpKind::ColExpandMul:
    case OpKind::ColExpandDiv: return elementwise(r);
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin:
    case OpKind::ColSum: return reduce(r);
    case OpKind::Sort32:
    case OpKind::MergeSort: return all_full(r);
    case OpKind::GatherMask: return gather_mask(r);
    case OpKind::Gather: return gather(r);
    case OpKind::Slice:
    case OpKind::Assemble:
    case OpKind::Load:
    case OpKind::Store:
    case OpKind::SetValid: break;
  }
  bug("result_extent of a memory op");
}

}  // namespace tilewright::compile
