#include "tilewright/ir/valid_extent.h"

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/ir/program.h"

namespace tilewright::ir {
namespace {

struct Rule {
  const Op& op;
  std::span<const Extent> args;
  const Program& p;

  const Var& var(std::size_t i) const { return p[op.args[i]]; }
  const Var& dst() const { return p[op.dst]; }
  std::size_t rank(std::size_t i) const { return var(i).shape.size(); }
};

// As the first operand that is not broadcast along the dimension.
Extent broadcast(const Rule& r) {
  const std::size_t rank = r.dst().shape.size();
  Extent out = full_extent(r.dst());
  for (std::size_t i = r.args.size(); i-- > 0;) {
    const std::size_t missing = rank - r.rank(i);
    for (std::size_t d = 0; d < r.rank(i); ++d)
      if (r.var(i).shape[d] != 1 || r.dst().shape[d + missing] == 1)
        out[d + missing] = r.args[i][d];
  }
  return out;
}

Extent product(const Rule& r) {
  const auto side = [&](std::size_t i, bool last) { return r.args[i][r.rank(i) - (last ? 1 : 2)]; };
  Extent out = full_extent(r.dst());
  const std::size_t rank = r.dst().shape.size();
  out[rank - 2] = side(0, r.op.a_trans);
  out[rank - 1] = side(1, !r.op.b_trans);
  return out;
}

Extent reduced(const Rule& r, std::size_t from_the_end) {
  Extent out = r.args[0];
  out[r.rank(0) - from_the_end] = 1;
  return out;
}

Extent halved(const Rule& r) {
  Extent out = r.args[0];
  out[1] /= 2;
  return out;
}

}  // namespace

Extent full_extent(const Var& v) {
  Extent e{};
  std::ranges::copy(v.shape, e.begin());
  return e;
}

bool is_full(const Extent& e, const Var& v) {
  return std::equal(v.shape.begin(), v.shape.end(), e.begin());
}

Extent result_extent(const Op& op, std::span<const Extent> args, const Program& p) {
  const Rule r{op, args, p};
  switch (op_info(op.kind).valid) {
    case ValidRule::Whole: return full_extent(r.dst());
    case ValidRule::Reshaped: return reshaped_extent(r.var(0).shape, args[0], r.dst().shape);
    case ValidRule::AsFirst: return args[0];
    case ValidRule::AsSecond: return args[1];
    case ValidRule::Broadcast: return broadcast(r);
    case ValidRule::Product: return product(r);
    case ValidRule::OneColumn: return reduced(r, 1);
    case ValidRule::OneRow: return reduced(r, 2);
    case ValidRule::Swapped: return {args[0][1], args[0][0]};
    case ValidRule::Joined: return {args[0][0], args[0][1] + args[1][1]};
    case ValidRule::Halved: return halved(r);
    case ValidRule::Window:
    case ValidRule::Unchanged: break;
  }
  bug("an op whose valid extent does not follow from its operands");
}

bool same_but_for_ones(std::span<const int64_t> from, std::span<const int64_t> to) {
  // Loops, not views: Clang 14 cannot compile those of libstdc++ 12.
  const auto next_longer = [](std::span<const int64_t> shape, std::size_t i) {
    while (i < shape.size() && shape[i] == 1) ++i;
    return i;
  };
  std::size_t f = next_longer(from, 0), t = next_longer(to, 0);
  while (f < from.size() && t < to.size() && from[f] == to[t]) {
    f = next_longer(from, f + 1);
    t = next_longer(to, t + 1);
  }
  return f == from.size() && t == to.size();
}

Extent reshaped_extent(std::span<const int64_t> from, const Extent& valid,
                       std::span<const int64_t> to) {
  Extent out{};
  std::ranges::copy(to, out.begin());
  if (!same_but_for_ones(from, to)) return out;
  std::size_t next = 0;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] == 1) continue;
    while (to[next] == 1) ++next;
    out[next++] = valid[d];
  }
  return out;
}

Extent window_extent(const Op& op, const Extent& source, const Program& p, const ScalarEnv& env) {
  const Var& dst = p[op.dst];
  Extent out = full_extent(dst);
  if (!op.valid.empty()) {
    for (std::size_t i = 0; i < op.valid.size(); ++i)
      if (const auto v = evaluate(op.valid[i], env)) out[i] = *v;
    return out;
  }
  const std::size_t dropped = op.offset.size() - dst.shape.size();
  for (std::size_t i = 0; i < dst.shape.size(); ++i) {
    // A transposed load has the source's dimensions the other way round.
    const std::size_t d = dropped + (op.transpose ? dst.shape.size() - 1 - i : i);
    if (const auto at = evaluate(op.offset[d], env))
      out[i] = std::clamp<int64_t>(source[d] - *at, 0, out[i]);
  }
  return out;
}

Extent valid_after(const Op& op, std::span<const Extent> args, const Extent& before,
                   const Program& p, const ScalarEnv& env) {
  const ValidRule rule = op_info(op.kind).valid;
  if (rule == ValidRule::Unchanged) return before;
  if (rule == ValidRule::Window) return window_extent(op, args[0], p, env);
  return result_extent(op, args, p);
}

RowsCols rows_cols(const Extent& e, std::size_t rank) {
  RowsCols out;
  for (std::size_t i = 0; i + 1 < rank; ++i) out.rows *= e[i];
  out.cols = e[rank - 1];
  return out;
}

RowsCols rows_cols(const Shape& shape) {
  Extent e{};
  std::ranges::copy(shape, e.begin());
  return rows_cols(e, shape.size());
}

}  // namespace tilewright::ir
