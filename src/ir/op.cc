#include "tilewright/ir/op.h"

#include <array>

namespace tilewright::ir {
namespace {

constexpr std::array<OpInfo, kOpCount> kOps{{
    {.name = "create_tensor", .family = OpFamily::Memory, .type = TypeRule::Declared, .valid = ValidRule::Whole},
    {.name = "full", .family = OpFamily::Memory, .type = TypeRule::Filled, .valid = ValidRule::Whole,
     .cost = VectorClass::Fill},
    {.name = "slice", .family = OpFamily::Memory, .type = TypeRule::Window, .valid = ValidRule::Window,
     .view = ViewKind::Window},
    {.name = "assemble", .family = OpFamily::Memory, .type = TypeRule::Insert, .valid = ValidRule::Unchanged},
    {.name = "load", .family = OpFamily::Memory, .type = TypeRule::Window, .valid = ValidRule::Window,
     .view = ViewKind::Window},
    {.name = "store", .family = OpFamily::Memory, .type = TypeRule::Insert, .valid = ValidRule::Unchanged},
    {.name = "move", .family = OpFamily::Memory, .type = TypeRule::AsOperand, .valid = ValidRule::AsFirst,
     .view = ViewKind::Same},
    {.name = "copy", .family = OpFamily::Memory, .type = TypeRule::AsOperand, .valid = ValidRule::AsFirst,
     .view = ViewKind::Same},
    {.name = "reshape", .family = OpFamily::Layout, .type = TypeRule::Reshape, .valid = ValidRule::Reshaped,
     .view = ViewKind::Relabel},
    {.name = "concat", .family = OpFamily::Layout, .type = TypeRule::Concat, .valid = ValidRule::Joined,
     .row_local = true},
    {.name = "transpose", .family = OpFamily::Layout, .type = TypeRule::Transpose, .valid = ValidRule::Swapped,
     .cost = VectorClass::Transpose},
    {.name = "fillpad", .family = OpFamily::Layout, .type = TypeRule::FillPad, .valid = ValidRule::Whole,
     .cost = VectorClass::Fill},
    {.name = "set_validshape", .family = OpFamily::Layout, .type = TypeRule::SetValid, .valid = ValidRule::Window,
     .view = ViewKind::Same},
    {.name = "cast", .family = OpFamily::Layout, .type = TypeRule::Cast, .valid = ValidRule::AsFirst,
     .cost = VectorClass::Cast, .row_local = true, .in_place = true},
    {.name = "matmul", .family = OpFamily::Matmul, .type = TypeRule::Matmul, .valid = ValidRule::Product,
     .on_cube = true},
    {.name = "matmul_acc", .family = OpFamily::Matmul, .type = TypeRule::MatmulAcc, .valid = ValidRule::Product,
     .on_cube = true},
    {.name = "matmul_bias", .family = OpFamily::Matmul, .type = TypeRule::MatmulBias, .valid = ValidRule::Product,
     .on_cube = true},
    {.name = "gemv", .family = OpFamily::Matmul, .type = TypeRule::Gemv, .valid = ValidRule::Product,
     .on_cube = true},
    {.name = "add", .family = OpFamily::Elementwise, .type = TypeRule::Binary, .valid = ValidRule::Broadcast,
     .cost = VectorClass::Binary, .scalar_cost = VectorClass::Scalar, .row_local = true, .in_place = true},
    {.name = "sub", .family = OpFamily::Elementwise, .type = TypeRule::Binary, .valid = ValidRule::Broadcast,
     .cost = VectorClass::Binary, .scalar_cost = VectorClass::Scalar, .row_local = true, .in_place = true},
    {.name = "mul", .family = OpFamily::Elementwise, .type = TypeRule::Binary, .valid = ValidRule::Broadcast,
     .cost = VectorClass::Binary, .scalar_cost = VectorClass::Scalar, .row_local = true, .in_place = true},
    {.name = "div", .family = OpFamily::Elementwise, .type = TypeRule::Binary, .valid = ValidRule::Broadcast,
     .cost = VectorClass::Divide, .scalar_cost = VectorClass::DivideScalar, .row_local = true, .in_place = true},
    {.name = "fmod", .family = OpFamily::Elementwise, .type = TypeRule::Binary, .valid = ValidRule::Broadcast,
     .cost = VectorClass::Divide, .scalar_cost = VectorClass::DivideScalar, .row_local = true, .in_place = true},
    {.name = "maximum", .family = OpFamily::Elementwise, .type = TypeRule::Binary, .valid = ValidRule::Broadcast,
     .cost = VectorClass::Binary, .scalar_cost = VectorClass::Scalar, .row_local = true, .in_place = true},
    {.name = "minimum", .family = OpFamily::Elementwise, .type = TypeRule::Binary, .valid = ValidRule::Broadcast,
     .cost = VectorClass::Binary, .scalar_cost = VectorClass::Scalar, .row_local = true, .in_place = true},
    {.name = "cmp", .family = OpFamily::Elementwise, .type = TypeRule::Binary, .valid = ValidRule::Broadcast,
     .cost = VectorClass::Binary, .scalar_cost = VectorClass::Scalar, .row_local = true},
    {.name = "neg", .family = OpFamily::Elementwise, .type = TypeRule::Unary, .valid = ValidRule::AsFirst,
     .cost = VectorClass::Scalar, .row_local = true, .in_place = true},
    {.name = "abs", .family = OpFamily::Elementwise, .type = TypeRule::Unary, .valid = ValidRule::AsFirst,
     .cost = VectorClass::Scalar, .row_local = true, .in_place = true},
    {.name = "exp", .family = OpFamily::Elementwise, .type = TypeRule::Unary, .valid = ValidRule::AsFirst,
     .cost = VectorClass::Exp, .row_local = true, .in_place = true},
    {.name = "log", .family = OpFamily::Elementwise, .type = TypeRule::Unary, .valid = ValidRule::AsFirst,
     .cost = VectorClass::Exp, .row_local = true, .in_place = true},
    {.name = "sqrt", .family = OpFamily::Elementwise, .type = TypeRule::Unary, .valid = ValidRule::AsFirst,
     .cost = VectorClass::Root, .row_local = true, .in_place = true},
    {.name = "recip", .family = OpFamily::Elementwise, .type = TypeRule::Unary, .valid = ValidRule::AsFirst,
     .cost = VectorClass::Reciprocal, .row_local = true},
    {.name = "rsqrt", .family = OpFamily::Elementwise, .type = TypeRule::Unary, .valid = ValidRule::AsFirst,
     .cost = VectorClass::Reciprocal, .row_local = true},
    {.name = "row_expand", .family = OpFamily::Elementwise, .type = TypeRule::RowExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::RowExpand, .row_local = true, .in_place = true},
    {.name = "row_expand_add", .family = OpFamily::Elementwise, .type = TypeRule::RowExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::RowBinary, .row_local = true, .in_place = true},
    {.name = "row_expand_sub", .family = OpFamily::Elementwise, .type = TypeRule::RowExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::RowBinary, .row_local = true, .in_place = true},
    {.name = "row_expand_mul", .family = OpFamily::Elementwise, .type = TypeRule::RowExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::RowBinary, .row_local = true, .in_place = true},
    {.name = "row_expand_div", .family = OpFamily::Elementwise, .type = TypeRule::RowExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::RowDivide, .row_local = true, .in_place = true},
    {.name = "col_expand", .family = OpFamily::Elementwise, .type = TypeRule::ColExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::ColExpand, .row_local = true, .in_place = true},
    {.name = "col_expand_add", .family = OpFamily::Elementwise, .type = TypeRule::ColExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::ColExpand, .row_local = true, .in_place = true},
    {.name = "col_expand_sub", .family = OpFamily::Elementwise, .type = TypeRule::ColExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::ColExpand, .row_local = true, .in_place = true},
    {.name = "col_expand_mul", .family = OpFamily::Elementwise, .type = TypeRule::ColExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::ColExpand, .row_local = true, .in_place = true},
    {.name = "col_expand_div", .family = OpFamily::Elementwise, .type = TypeRule::ColExpand, .valid = ValidRule::Broadcast,
     .cost = VectorClass::ColExpand, .row_local = true, .in_place = true},
    {.name = "row_sum", .family = OpFamily::Reduce, .type = TypeRule::Reduce, .valid = ValidRule::OneColumn,
     .cost = VectorClass::RowReduce, .row_local = true},
    {.name = "row_max", .family = OpFamily::Reduce, .type = TypeRule::Reduce, .valid = ValidRule::OneColumn,
     .cost = VectorClass::RowReduce, .row_local = true},
    {.name = "row_min", .family = OpFamily::Reduce, .type = TypeRule::Reduce, .valid = ValidRule::OneColumn,
     .cost = VectorClass::RowReduce, .row_local = true},
    {.name = "row_argmax", .family = OpFamily::Reduce, .type = TypeRule::Reduce, .valid = ValidRule::OneColumn,
     .cost = VectorClass::RowReduce, .row_local = true},
    {.name = "row_argmin", .family = OpFamily::Reduce, .type = TypeRule::Reduce, .valid = ValidRule::OneColumn,
     .cost = VectorClass::RowReduce, .row_local = true},
    {.name = "col_sum", .family = OpFamily::Reduce, .type = TypeRule::Reduce, .valid = ValidRule::OneRow,
     .cost = VectorClass::ColReduce},
    {.name = "col_max", .family = OpFamily::Reduce, .type = TypeRule::Reduce, .valid = ValidRule::OneRow,
     .cost = VectorClass::ColReduce},
    {.name = "col_min", .family = OpFamily::Reduce, .type = TypeRule::Reduce, .valid = ValidRule::OneRow,
     .cost = VectorClass::ColReduce},
    {.name = "arange", .family = OpFamily::Sort, .type = TypeRule::Arange, .valid = ValidRule::Whole,
     .cost = VectorClass::Fill},
    {.name = "sort32", .family = OpFamily::Sort, .type = TypeRule::Sort32, .valid = ValidRule::Whole,
     .cost = VectorClass::Sort},
    {.name = "mrgsort", .family = OpFamily::Sort, .type = TypeRule::MergeSort, .valid = ValidRule::Whole,
     .cost = VectorClass::Sort},
    {.name = "gather_mask", .family = OpFamily::Sort, .type = TypeRule::GatherMask, .valid = ValidRule::Halved,
     .cost = VectorClass::Sort},
    {.name = "gather", .family = OpFamily::Sort, .type = TypeRule::Gather, .valid = ValidRule::AsSecond,
     .cost = VectorClass::Sort},
    {.name = "scatter_mask", .family = OpFamily::Sort, .type = TypeRule::ScatterMask, .valid = ValidRule::AsSecond,
     .cost = VectorClass::Sort},
}};

constexpr std::array<std::string_view, 5> kCastModes{"rint", "round", "floor", "ceil", "trunc"};
constexpr std::array<std::string_view, 4> kPads{"null", "zero", "max", "min"};

}  // namespace

// A kind without its row would give every op after it the row of its neighbour.
static_assert(!kOps.back().name.empty(), "every kind of op.h has a row, in the same order");

const OpInfo& op_info(OpKind kind) { return kOps[static_cast<std::size_t>(kind)]; }

std::optional<OpKind> parse_op(std::string_view name) {
  for (std::size_t i = 0; i < kOps.size(); ++i)
    if (kOps[i].name == name) return static_cast<OpKind>(i);
  return std::nullopt;
}

std::string_view cast_mode_name(CastMode m) { return kCastModes[static_cast<std::size_t>(m)]; }

std::optional<CastMode> parse_cast_mode(std::string_view name) {
  for (std::size_t i = 0; i < kCastModes.size(); ++i)
    if (kCastModes[i] == name) return static_cast<CastMode>(i);
  return std::nullopt;
}

std::string_view pad_name(Pad p) { return kPads[static_cast<std::size_t>(p)]; }

std::optional<Pad> parse_pad(std::string_view name) {
  for (std::size_t i = 0; i < kPads.size(); ++i)
    if (kPads[i] == name) return static_cast<Pad>(i);
  return std::nullopt;
}

bool updates_in_place(OpKind kind) {
  return kind == OpKind::Assemble || kind == OpKind::Store || kind == OpKind::MatmulAcc;
}

bool reads_dst(const Op& op) { return op.kind == OpKind::MatmulAcc || op.atomic_add; }

bool allowed_in_orchestrator(OpKind kind) {
  return kind == OpKind::Create || kind == OpKind::Slice || kind == OpKind::Reshape ||
         kind == OpKind::Assemble;
}

}  // namespace tilewright::ir
