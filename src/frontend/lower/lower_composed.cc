// Words of the dialect that stand for several operations of the language, or for none.
#include <fmt/format.h>

#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {

using ir::Op;
using ir::OpKind;

// `word` is without its tile. or tensor.; empty when it is none of these.
std::optional<Value> Lowering::composed_call(const std::string& word, const Expr& e,
                                             std::string_view target) {
  if (word == "relu") return relu(e, target);
  if (word == "row_expand_expdif") return exp_of_difference(OpKind::RowExpandSub, e, target);
  if (word == "col_expand_expdif") return exp_of_difference(OpKind::ColExpandSub, e, target);
  if (word == "create_l1") return create_l1(e, target);
  if (word == "gather_row") return gather_row(e);
  if (word == "transpose_view") return transpose_view(e);
  if (word.starts_with("prefetch.")) {
    // What is fetched early is the same data: only the time of a device differs.
    if (noted_.insert("prefetch").second)
      report(e.at, "prefetch", fmt::format("pl.{} has no effect", word),
             "a prefetch changes when data arrives, not what a program computes", "nothing to do",
             Severity::Note);
    return Value{None{}};
  }
  return std::nullopt;
}

// max(x, 0), which keeps a NaN.
Value Lowering::relu(const Expr& e, std::string_view target) {
  Arguments args(*this, e, dotted_path(*e.parts[0]), {"x"});
  Op op;
  op.kind = OpKind::Maximum;
  op.args = {args.tensor("x")};
  op.scalar = ir::ScalarOperand{};
  const ir::Var& x = program_[op.args[0]];
  return emit(std::move(op), {x.dtype, x.shape}, target, args.at(), "relu");
}

// exp(x - v), v one number per row or column.
Value Lowering::exp_of_difference(OpKind subtract, const Expr& e, std::string_view target) {
  Arguments args(*this, e, dotted_path(*e.parts[0]), {"x", "v"});
  Op difference;
  difference.kind = subtract;
  difference.args = {args.tensor("x"), args.tensor("v")};
  const ir::Var& x = program_[difference.args[0]];
  const Value made = emit(std::move(difference), {x.dtype, x.shape}, {}, args.at());
  Op power;
  power.kind = OpKind::Exp;
  power.args = {made.as<Tensor>()->var};
  const ir::Var& d = program_[power.args[0]];
  return emit(std::move(power), {d.dtype, d.shape}, target, args.at());
}

// A tile in the memory that feeds the cube.
Value Lowering::create_l1(const Expr& e, std::string_view target) {
  // The layout that `transpose` asks for is the compiler's business.
  Arguments args(*this, e, dotted_path(*e.parts[0]), {"shape", "dtype", "transpose"});
  Op op;
  op.kind = OpKind::Create;
  op.space = MemorySpace::Mat;
  return emit(std::move(op), {args.dtype("dtype"), args.shape("shape")}, target, args.at());
}

// A window of GM put into a window of a tile.
Value Lowering::gather_row(const Expr& e) {
  Arguments args(*this, e, dotted_path(*e.parts[0]),
                 {"dst", "src", "dst_offset", "src_offset", "shapes", "transpose"},
                 {"valid_shape"});
  Op window;
  window.kind = OpKind::Slice;
  window.args = {args.tensor("src")};
  window.offset = args.integers("src_offset");
  if (args.has("valid_shape")) window.valid = args.integers("valid_shape");
  Shape shape = args.shape("shapes");
  if (args.flag("transpose")) {  // the dialect gives the window in GM, the program the tile
    window.kind = OpKind::Load;
    window.transpose = true;
    window.space = MemorySpace::Mat;
    std::reverse(shape.begin(), shape.end());
    std::reverse(window.valid.begin(), window.valid.end());
  }
  const DType dtype = program_[window.args[0]].dtype;
  const Value rows = emit(std::move(window), {dtype, std::move(shape)}, {}, args.at(), "rows");
  Op insert;
  insert.kind = OpKind::Assemble;
  insert.dst = args.tensor("dst");
  insert.args = {rows.as<Tensor>()->var};
  insert.offset = args.integers("dst_offset");
  return emit_in_place(std::move(insert), args.at());
}

}  // namespace tilewright::frontend
