#include "tilewright/compile/unroll/valid.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/program.h"

namespace tilewright::compile {
namespace {

using namespace ir;

struct Operands {
  const Op& op;
  std::span<const Extent> args;
  const Program& p;

  const Var& var(std::size_t i) const { return p[op.args[i]]; }
  const Var& dst() const { return p[op.dst]; }
  std::size_t rank(std::size_t i) const { return var(i).shape.size(); }
  std::string describe(std::size_t i) const {
    return fmt::format("{} valid {}", var(i).written_name(), extent_text(args[i], rank(i)));
  }
};

Disagreement product(const Operands& o) {
  const auto side = [&](std::size_t i, bool trans, bool rows) {
    const std::size_t n = o.rank(i);
    return o.args[i][rows != trans ? n - 2 : n - 1];
  };
  const int64_t k_a = side(0, o.op.a_trans, false);
  const int64_t k_b = side(1, o.op.b_trans, true);
  if (k_a != k_b)
    return {fmt::format("the valid K is {} on the left and {} on the right: {} and {}", k_a, k_b,
                        o.describe(0), o.describe(1))};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t d = 0; d + 2 < o.rank(i); ++d)
      if (o.args[i][d] != o.var(i).shape[d])
        return {fmt::format("a batched product needs fully valid batches: {}", o.describe(i))};
  const int64_t n = side(1, o.op.b_trans, false);
  if (o.op.kind == OpKind::MatmulBias && o.args[2][1] != n)
    return {fmt::format("the product has {} valid columns, but the bias has another number: {}", n,
                        o.describe(2))};
  return {};
}

// Reshapes, sorts and merges take every element of every operand; fillpad makes the rest.
Disagreement all_whole(const Operands& o) {
  if (o.op.kind == OpKind::FillPad) return {};
  for (std::size_t i = 0; i < o.args.size(); ++i)
    if (!is_full(o.args[i], o.var(i)))
      return {fmt::format("{} needs all of {}, of which only {} is valid", op_name(o.op.kind),
                          o.var(i).written_name(), extent_text(o.args[i], o.rank(i))),
              true};
  return {};
}

Disagreement index(const Operands& o) {
  if (o.args[1][0] <= o.args[0][0]) return {};
  return {fmt::format("the index has more valid rows than the values: {} and {}", o.describe(1),
                      o.describe(0))};
}

Disagreement scattered(const Operands& o) {
  if (o.args[0][0] <= o.args[1][0] && 2 * o.args[0][1] <= o.args[1][1]) return {};
  return {fmt::format("scatter writes outside the valid part of its destination: {} and {}",
                      o.describe(0), o.describe(1))};
}

Disagreement joined(const Operands& o) {
  if (o.args[0][1] == o.var(0).shape[1] && o.args[0][0] == o.args[1][0]) return {};
  return {fmt::format("concat needs all columns of its left side and equal rows: {} and {}",
                      o.describe(0), o.describe(1))};
}

}  // namespace

bool is_empty(const Extent& e, std::size_t rank) {
  return std::find(e.begin(), e.begin() + static_cast<std::ptrdiff_t>(rank), 0) !=
         e.begin() + static_cast<std::ptrdiff_t>(rank);
}

bool is_over_nothing(const Op& op, std::span<const Extent> args, const Program& p) {
  const auto from_end = [&](std::size_t n) { return args[0][p[op.args[0]].shape.size() - n]; };
  // Others of its family add to what is there.
  const bool product = op.kind == OpKind::Matmul || op.kind == OpKind::Gemv;
  const ValidRule rule = op_info(op.kind).valid;
  return (product && from_end(op.a_trans ? 2 : 1) == 0) ||
         (rule == ValidRule::OneColumn && from_end(1) == 0) ||
         (rule == ValidRule::OneRow && from_end(2) == 0);
}

std::string extent_text(const Extent& e, std::size_t rank) {
  return shape_text({e.begin(), e.begin() + static_cast<std::ptrdiff_t>(rank)});
}

Disagreement disagreement(const Op& op, std::span<const Extent> args, const Program& p) {
  const Operands o{op, args, p};
  switch (op_info(op.kind).valid) {
    case ValidRule::Whole: return all_whole(o);
    case ValidRule::Reshaped:
      return same_but_for_ones(o.var(0).shape, o.dst().shape) ? Disagreement{} : all_whole(o);
    case ValidRule::Product: return product(o);
    case ValidRule::AsSecond:
      return o.op.kind == OpKind::ScatterMask ? scattered(o) : index(o);
    case ValidRule::Joined: return joined(o);
    case ValidRule::AsFirst:
    case ValidRule::Broadcast:  // what an operand does not have is undefined in the result
    case ValidRule::OneColumn:
    case ValidRule::OneRow:
    case ValidRule::Swapped:
    case ValidRule::Halved: return {};
    case ValidRule::Window:
    case ValidRule::Unchanged: break;
  }
  bug("disagreement of a memory op");
}

}  // namespace tilewright::compile
