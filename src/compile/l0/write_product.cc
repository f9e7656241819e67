#include "tilewright/compile/l0/write_product.h"

#include <fmt/format.h>

#include "tilewright/compile/l0/operands.h"

namespace tilewright::compile {

using namespace ir;

Op accumulating(Op product) {
  product.kind = OpKind::MatmulAcc;
  product.args.resize(2);  // a bias is added once
  return product;
}

VarId ProductWriter::tile(const Var& like, Shape shape, MemorySpace space,
                          const std::string& suffix) {
  Var t = like;
  t.name = names_.next(like.name + suffix);
  t.shape = std::move(shape);
  t.space = space;
  return p_.add_var(std::move(t));
}

VarId ProductWriter::part(VarId whole, const Cut& first, const Cut& second, MemorySpace to,
                          const Place& place, Block& out) {
  VarId from = whole;
  Shape shape = p_[whole].shape;
  std::vector<Expr> offset(shape.size(), 0);
  shape[row_dimension(shape)] = first.size;
  shape[column_dimension(shape)] = second.size;
  offset[row_dimension(shape)] = first.begin;
  offset[column_dimension(shape)] = second.begin;
  if (p_[whole].shape != shape) {
    from = tile(Var(p_[whole]), shape, MemorySpace::Mat, "_part");
    Op slice;
    slice.kind = OpKind::Slice;
    slice.dst = from;
    slice.args = {whole};
    slice.offset = std::move(offset);
    slice.place = place;
    out.push_back({std::move(slice)});
  }
  const VarId moved = tile(Var(p_[from]), shape, to, fmt::format("_{}", memory_space_name(to)));
  Op move;
  move.kind = OpKind::Move;
  move.dst = moved;
  move.args = {from};
  move.space = to;
  move.inserted = true;
  move.place = place;
  out.push_back({std::move(move)});
  return moved;
}

VarId ProductWriter::bias(const Op& product, const Cut& columns, Block& out) {
  const VarId row = product.args[2];
  return part(row, {0, 1}, columns, MemorySpace::Bias, product.place, out);
}

Block ProductWriter::blocks(const Op& op, const Cut& rows, const Cut& columns, const Cut& k) {
  Block out;
  Op product = op;
  product.args[0] = op.a_trans ? part(op.args[0], k, rows, MemorySpace::Left, op.place, out)
                               : part(op.args[0], rows, k, MemorySpace::Left, op.place, out);
  product.args[1] = op.b_trans ? part(op.args[1], columns, k, MemorySpace::Right, op.place, out)
                               : part(op.args[1], k, columns, MemorySpace::Right, op.place, out);
  const bool always_first = k.begin == Expr(0);
  const bool never_first = k.begin.is_constant() && !always_first;
  if (op.kind == OpKind::MatmulAcc || always_first) {
    out.push_back({std::move(product)});
  } else if (never_first) {
    out.push_back({accumulating(std::move(product))});
  } else {
    If first;
    first.condition.op = Compare::Eq;
    first.condition.left = k.begin;
    first.condition.right = 0;
    first.then_body.push_back({product});
    first.else_body.push_back({accumulating(std::move(product))});
    first.place = op.place;
    out.push_back({std::move(first)});
  }
  return out;
}

Stmt ProductWriter::loop(const Op& op, const Cut& rows, const Cut& columns, const Expr& stop,
                         int64_t block) {
  For loop;
  loop.kind = LoopKind::Pipeline;
  loop.stages = 2;
  Var k;
  k.name = names_.next("k0");
  k.scalar = true;
  k.dtype = DType::Index;
  k.place = op.place;
  loop.var = p_.add_var(std::move(k));
  loop.start = 0;
  loop.stop = stop;
  loop.step = block;
  loop.place = op.place;
  loop.body = blocks(op, rows, columns, {Expr::var(loop.var), block});
  return {std::move(loop)};
}

Block ProductWriter::write(const Op& op, const Cut& rows, const Cut& columns, int64_t block) {
  const int64_t depth = product_of(op, p_).k;
  const int64_t looped = depth / block * block;
  Block out;
  if (looped == block)
    out = blocks(op, rows, columns, {0, block});
  else
    out.push_back(loop(op, rows, columns, looped, block));
  if (looped < depth)
    for (Stmt& s : blocks(op, rows, columns, {looped, depth - looped})) out.push_back(std::move(s));
  return out;
}

// A block takes what is valid of it, as every window of a partly valid tile does.
Block ProductWriter::write_valid(const Op& op, const Expr& depth, int64_t block) {
  const Product whole = product_of(op, p_);
  Block out;
  out.push_back(loop(op, {0, whole.m}, {0, whole.n}, depth, block));
  return out;
}

}  // namespace tilewright::compile
