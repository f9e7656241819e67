// pl.split_aiv: a region that each vector core of a cluster executes, told apart by the number of
// its lane. Lanes work on parts of their own, so they may as well come one after the other: the
// region is a loop over lanes. pl.aiv_shard is the lane's part of a tile of the cube.
#include <fmt/format.h>

#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {
namespace {

constexpr int64_t kLanes = 2;  // vector cores beside a cube core

}  // namespace

bool Lowering::is_lane_loop(const Stmt& s) const {
  return s.value->kind == ExprKind::Call && dotted_path(*s.value->parts[0]) == "pl.split_aiv";
}

void Lowering::lane_loop(const Stmt& s) {
  Arguments args(*this, *s.value, "pl.split_aiv", {"n"}, {"mode"});
  if (const int64_t n = args.constant("n"); n != kLanes)
    fail(args.at("n"), "argument", fmt::format("pl.split_aiv of {} lanes", n),
         fmt::format("a cube core has {} vector cores", kLanes), "write pl.split_aiv(2, ...)");
  const ir::Split split = split_of(args.value("mode"), args.at("mode"));
  if (in_scope()) return lanes_in_order(s, split);
  ir::Scope scope;
  scope.place = place(s.at);
  scope.order = call_order();
  open();
  ++scope_number_;
  ++scopes_;
  lanes_in_order(s, split);
  --scopes_;
  scope.body = close();
  append({std::move(scope)});
}

void Lowering::lanes_in_order(const Stmt& s, ir::Split split) {
  ir::For f;
  f.stop = kLanes;
  f.place = place(s.at);
  Kept kept = keep();
  carry(s);
  const Expr& name = *s.targets[0];
  f.var = scalar_var(name.text, DType::Index, name.at);
  frame().pinned.erase(name.text);
  bind(name.text, {ir::Expr::var(f.var)});
  bound_loop(f);
  frame().yields.emplace_back(std::vector<ir::VarId>{});
  lanes_.push_back({ir::Expr::var(f.var), split});
  finish_loop(s, std::move(f), {});
  lanes_.pop_back();
  frame().yields.pop_back();
  restore(std::move(kept));
}

// Half of the rows or columns; where lanes divide the work themselves, all of it.
Value Lowering::aiv_shard(const Expr& e, std::string_view target) {
  Arguments args(*this, e, "pl.aiv_shard", {"x"});
  const ir::VarId x = args.tensor("x");
  if (lanes_.empty())
    fail(e.at, "loop", "pl.aiv_shard outside pl.split_aiv", "a shard is one lane's part of a tile",
         "use it in the body of for lane in pl.split_aiv(2, mode=...)");
  const auto& [lane, split] = lanes_.back();
  if (split == ir::Split::None) return {Tensor{x}};
  ir::ArrayType type{program_[x].dtype, program_[x].shape};
  const std::size_t from_end = split == ir::Split::UpDown ? 2 : 1;
  if (type.shape.size() != 2 || type.shape[2 - from_end] % kLanes != 0)
    fail(e.at, "argument",
         fmt::format("pl.aiv_shard of {} {}", program_[x].written_name(), ir::type_text(program_[x])),
         "UP_DOWN gives each lane half of the rows, LEFT_RIGHT half of the columns",
         "use a tile of two dimensions that can be halved");
  int64_t& part = type.shape[2 - from_end];
  part /= kLanes;
  ir::Op op;
  op.kind = ir::OpKind::Slice;
  op.args = {x};
  op.offset.assign(2, ir::Expr(0));
  op.offset[2 - from_end] = lane * ir::Expr(part);
  return emit(std::move(op), type, target, e.at, "shard");
}

}  // namespace tilewright::frontend
