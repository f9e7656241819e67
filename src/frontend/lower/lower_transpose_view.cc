// transpose_view(x): x with its last two dimensions swapped, where no data moves because the reader
// takes it transposed. A product does so by its a_trans and b_trans; a move hands the view on. Any
// other reader gets a tile that is transposed for it.
#include <fmt/format.h>

#include <utility>

#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {

Value Lowering::transpose_view(const Expr& e) {
  Arguments args(*this, e, dotted_path(*e.parts[0]), {"x"});
  const ir::VarId x = args.tensor("x");
  if (is_transpose_view(x)) return {Tensor{stored_.at(x)}};
  ir::Var view = program_[x];
  if (view.shape.size() < 2)
    fail(args.at(), "rank", fmt::format("transpose_view of {} {}", view.written_name(), ir::type_text(view)),
         "rows and columns are swapped", "reshape to two dimensions first");
  std::swap(view.shape[view.shape.size() - 2], view.shape.back());
  view.name = names_.take(view.name + "_transposed");
  view.place = place(args.at());
  const ir::VarId v = new_var(std::move(view));
  stored_.emplace(v, x);
  return {Tensor{v}};
}

void Lowering::multiply_as_stored(ir::Op& product) const {
  if (const auto a = stored_.find(product.args[0]); a != stored_.end()) {
    product.args[0] = a->second;
    product.a_trans = !product.a_trans;
  }
  if (const auto b = stored_.find(product.args[1]); b != stored_.end()) {
    product.args[1] = b->second;
    product.b_trans = !product.b_trans;
  }
}

Value Lowering::move_transposed(ir::Op move, std::string_view target, At at) {
  const ir::Var view = program_[move.args[0]];
  move.args[0] = stored_.at(move.args[0]);
  const ir::Var& x = program_[move.args[0]];
  const Value moved = emit(std::move(move), {x.dtype, x.shape}, {}, at,
                           target.empty() ? std::string_view("move") : target);
  ir::Var v = view;
  v.name = names_.take(view.name);
  const ir::VarId id = new_var(std::move(v));
  stored_.emplace(id, moved.as<Tensor>()->var);
  return {Tensor{id}};
}

ir::VarId Lowering::made_transpose(ir::VarId view, const Place& place) {
  ir::Var v = program_[view];
  v.name = names_.take(v.name);
  ir::Op op;
  op.kind = ir::OpKind::Transpose;
  op.dst = new_var(std::move(v));
  op.args = {stored_.at(view)};
  op.place = place;
  const ir::VarId made = op.dst;
  append({std::move(op)});
  return made;
}

}  // namespace tilewright::frontend
