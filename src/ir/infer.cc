#include "tilewright/ir/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/region.h"

namespace tilewright::ir {
namespace {

struct Rule {
  const Op& op;
  const ArrayType& declared;
  const Program& program;

  const Var& arg(std::size_t i) const { return program[op.args.at(i)]; }
  const Var& dst() const { return program[op.dst]; }
  std::string name() const { return std::string(op_name(op.kind)); }
};

TypeError error(std::string code, std::string what, std::string law, std::string help) {
  return {std::move(code), std::move(what), std::move(law), std::move(help)};
}

std::size_t rank(const Var& v) { return v.shape.size(); }
int64_t rows(const Shape& s) { return s.size() < 2 ? 1 : s[s.size() - 2]; }
int64_t cols(const Shape& s) { return s.back(); }

std::string operand_text(const Var& v) { return fmt::format("{} {}", v.written_name(), type_text(v)); }

TypeResult check_shape(const Rule& r, const Shape& shape, DType dtype) {
  const ArrayType type{dtype, shape};
  if (auto e = unusable(type)) {
    e->what = fmt::format("{} of {}", r.name(), e->what);
    // The two lists of numbers look alike, and their orders differ.
    if (r.op.kind == OpKind::Load) e->help = "load takes offsets, then shapes: x, [0, 0], [16, 64]";
    if (r.op.kind == OpKind::Slice) e->help = "slice takes shapes, then offsets: x, [16, 64], [0, 0]";
    return *e;
  }
  return type;
}

TypeResult literal_fits(const Rule& r, DType dtype, const ArrayType& result) {
  if (!r.op.scalar) return result;
  if (r.op.scalar->kind == ScalarOperand::Kind::Variable && !is_float(dtype) &&
      is_float(r.program[r.op.scalar->variable].dtype))
    return error("scalar-dtype",
                 fmt::format("{} with the float scalar {} in {}", r.name(),
                             r.program[r.op.scalar->variable].written_name(), dtype_name(dtype)),
                 "an integer tensor takes integer values", "cast the tensor to FP32 first");
  if (r.op.scalar->kind != ScalarOperand::Kind::Literal) return result;
  const double v = r.op.scalar->literal;
  const bool infinite_ok = is_float(dtype) && std::isinf(v);
  const bool in_range = !std::isnan(v) && v >= lowest_value(dtype) && v <= highest_value(dtype);
  if (!in_range && !infinite_ok)
    return error("range", fmt::format("{} with value {} in {}", r.name(), v, dtype_name(dtype)),
                 fmt::format("{} holds values from {} to {}", dtype_name(dtype),
                             lowest_value(dtype), highest_value(dtype)),
                 "use a wider type, or a value in range");
  if (!is_float(dtype) && v != std::trunc(v))
    return error("range", fmt::format("{} with value {} in {}", r.name(), v, dtype_name(dtype)),
                 "an integer tensor takes integer values", "cast the tensor to FP32 first");
  return result;
}

// ---- memory ------------------------------------------------------------------------------------

TypeResult infer_full(const Rule& r) {
  const TypeResult shape = check_shape(r, r.declared.shape, r.declared.dtype);
  if (std::holds_alternative<TypeError>(shape)) return shape;
  return literal_fits(r, r.declared.dtype, std::get<ArrayType>(shape));
}

// Elements of an encoded weight share scales along the last dimension: a window takes whole blocks.
std::optional<TypeError> check_whole_blocks(const Rule& r) {
  const Var& src = r.arg(0);
  if (!is_encoded(src.dtype)) return std::nullopt;
  const int64_t block = block_elements(src.dtype);
  const std::string what = fmt::format("{} of shape {} from {}", r.name(),
                                       shape_text(r.declared.shape), operand_text(src));
  if (r.op.transpose)
    return error("encoded-block", what, "an encoded weight is loaded as it lies",
                 "multiply with b_trans instead");
  if (cols(r.declared.shape) % block != 0 || !multiple_of(r.op.offset.back(), block))
    return error("encoded-block", what,
                 fmt::format("a window of a {} weight begins and ends with blocks of {} columns",
                             dtype_name(src.dtype), block),
                 fmt::format("use an offset and a width that are multiples of {}", block));
  if (!r.op.valid.empty() && !(r.op.valid.back() == Expr(cols(r.declared.shape))))
    return error("encoded-block", what, "all columns of a window of an encoded weight are valid",
                 "give rows a valid extent, not columns");
  return std::nullopt;
}

TypeResult infer_slice(const Rule& r) {
  const Var& src = r.arg(0);
  if (r.op.offset.size() != rank(src))
    return error("rank",
                 fmt::format("{} of {} with {}", r.name(), operand_text(src),
                             counted(r.op.offset.size(), "offset")),
                 "a slice needs one offset per dimension of its source",
                 fmt::format("give {}", counted(rank(src), "offset")));
  if (r.declared.shape.size() > rank(src))
    return error("rank",
                 fmt::format("{} of shape {} from {}", r.name(), shape_text(r.declared.shape),
                             operand_text(src)),
                 "a slice may drop leading dimensions but not add any", "reshape the result");
  if (!r.op.valid.empty() && r.op.valid.size() != r.declared.shape.size())
    return error("rank",
                 fmt::format("{} of shape {} with a valid shape of {}", r.name(),
                             shape_text(r.declared.shape), counted(r.op.valid.size(), "number")),
                 "a valid shape has one number per dimension of the result",
                 fmt::format("give {}", counted(r.declared.shape.size(), "number")));
  if (r.op.transpose && r.declared.shape.size() != 2)
    return error("rank",
                 fmt::format("transposed {} of shape {}", r.name(), shape_text(r.declared.shape)),
                 "only 2-D tiles can be loaded transposed", "reshape first");
  if (auto e = check_whole_blocks(r)) return *e;
  return ArrayType{src.dtype, r.declared.shape};
}

TypeResult infer_assemble(const Rule& r) {
  const Var& src = r.arg(0);
  const Var& dst = r.dst();
  if (src.dtype != dst.dtype)
    return error("assemble-dtype",
                 fmt::format("{} of {} into {}", r.name(), operand_text(src), operand_text(dst)),
                 "the source and destination of an assemble must have the same element type",
                 fmt::format("cast the source to {} first", dtype_name(dst.dtype)));
  if (r.op.offset.size() != rank(dst) || rank(src) > rank(dst))
    return error("rank",
                 fmt::format("{} of {} into {} with {}", r.name(), operand_text(src),
                             operand_text(dst), counted(r.op.offset.size(), "offset")),
                 "an assemble needs one offset per dimension of its destination, and its source "
                 "has at most as many dimensions",
                 rank(src) > rank(dst) ? "reshape the source"
                                       : fmt::format("give {}", counted(rank(dst), "offset")));
  return ArrayType{dst.dtype, dst.shape};
}

// ---- layout ------------------------------------------------------------------------------------

TypeResult infer_reshape(const Rule& r) {
  const TypeResult shape = check_shape(r, r.declared.shape, r.arg(0).dtype);
  if (std::holds_alternative<TypeError>(shape)) return shape;
  if (element_count(r.declared.shape) != element_count(r.arg(0).shape))
    return error("reshape",
                 fmt::format("reshape of {} ({} elements) to {} ({} elements)",
                             operand_text(r.arg(0)), element_count(r.arg(0).shape),
                             shape_text(r.declared.shape), element_count(r.declared.shape)),
                 "a reshape must keep the number of elements",
                 fmt::format("choose a shape of {} elements", element_count(r.arg(0).shape)));
  return shape;
}

TypeResult infer_concat(const Rule& r) {
  const Var& a = r.arg(0);
  const Var& b = r.arg(1);
  if (rank(a) != 2 || rank(b) != 2 || a.dtype != b.dtype || a.shape[0] != b.shape[0])
    return error("concat", fmt::format("concat of {} and {}", operand_text(a), operand_text(b)),
                 "concat appends columns of two 2-D tiles with equal rows and element type",
                 "cast or reshape one side");
  return ArrayType{a.dtype, {a.shape[0], a.shape[1] + b.shape[1]}};
}

TypeResult infer_transpose(const Rule& r) {
  const Var& a = r.arg(0);
  if (rank(a) != 2)
    return error("rank", fmt::format("transpose of {}", operand_text(a)),
                 "transpose takes a 2-D tile", "reshape first");
  return ArrayType{a.dtype, {a.shape[1], a.shape[0]}};
}

TypeResult infer_fillpad(const Rule& r) {
  const Var& a = r.arg(0);
  if (r.op.pad == Pad::Null)
    return error("pad", fmt::format("fillpad of {} with pad mode null", operand_text(a)),
                 "fillpad writes zero, max or min outside the valid region",
                 "choose zero, max or min");
  return ArrayType{a.dtype, a.shape};
}

TypeResult infer_set_valid(const Rule& r) {
  const Var& a = r.arg(0);
  if (r.op.valid.size() != rank(a))
    return error("rank",
                 fmt::format("set_validshape of {} with {}", operand_text(a),
                             counted(r.op.valid.size(), "number")),
                 "a valid shape has one number per dimension",
                 fmt::format("give {}", counted(rank(a), "number")));
  return ArrayType{a.dtype, a.shape};
}

// ---- matmul ------------------------------------------------------------------------------------

struct MatmulDims {
  int64_t m, k_a, k_b, n;
};

MatmulDims matmul_dims(const Rule& r) {
  const Shape& a = r.arg(0).shape;
  const Shape& b = r.arg(1).shape;
  return {r.op.a_trans ? cols(a) : rows(a), r.op.a_trans ? rows(a) : cols(a),
          r.op.b_trans ? cols(b) : rows(b), r.op.b_trans ? rows(b) : cols(b)};
}

std::string product_text(const Rule& r) {
  return fmt::format("{} of {}{} and {}{}", r.name(), operand_text(r.arg(0)),
                     r.op.a_trans ? " transposed" : "", operand_text(r.arg(1)),
                     r.op.b_trans ? " transposed" : "");
}

// FP32 rows by a weight of 16-bit floats, which is widened exactly.
bool widens_right(DType left, DType right) {
  return left == DType::F32 && (right == DType::F16 || right == DType::BF16);
}

TypeError one_type_error(std::string what, DType left, DType right) {
  return error("matmul-dtype", std::move(what),
               "both operands of a matmul must have the same element type",
               fmt::format("cast one side to {}", dtype_name(promote(left, right))));
}

std::optional<TypeError> check_matmul_operands(const Rule& r) {
  const Var& a = r.arg(0);
  const Var& b = r.arg(1);
  const std::string what = product_text(r);
  if (rank(a) < 2 || rank(b) < 2)
    return error("rank", what, "matmul operands have at least two dimensions",
                 "reshape a vector of N elements to [1, N]");
  if (is_encoded(b.dtype)) {
    if (!is_float(a.dtype) || is_encoded(a.dtype))
      return error("matmul-dtype", what, "an encoded right operand is multiplied with floats",
                   "cast the left operand to FP32");
    if (!r.op.b_trans)
      return error("encoded-use", what, "the blocks of an encoded right operand lie along K",
                   "store the weight as [N, K] and multiply with b_trans");
  } else if (a.dtype != b.dtype && !widens_right(a.dtype, b.dtype))
    return one_type_error(what, a.dtype, b.dtype);
  if (a.dtype == DType::Bool || a.dtype == DType::Index)
    return error("matmul-dtype", what, "matmul takes float or integer tiles",
                 "cast both to INT8 or BF16");
  const MatmulDims d = matmul_dims(r);
  if (d.k_a != d.k_b)
    return error("matmul-k",
                 fmt::format("{}: K is {} on the left and {} on the right", what, d.k_a, d.k_b),
                 "the inner dimensions of a matmul must be equal",
                 rows(b.shape) == d.k_a || cols(b.shape) == d.k_a
                     ? "add or remove b_trans: a right operand stored as [N, K] needs b_trans"
                     : "slice both operands by the same K tile");
  return std::nullopt;
}

// [M, N], after batch dimensions that are broadcast.
TypeResult product_type(const Rule& r, DType dtype) {
  const Var& a = r.arg(0);
  const MatmulDims d = matmul_dims(r);
  Shape shape;
  const std::size_t batch_rank = std::max(rank(a), rank(r.arg(1))) - 2;
  for (std::size_t i = 0; i < batch_rank; ++i) {
    const auto dim = [&](const Var& v) {
      const std::size_t missing = batch_rank + 2 - rank(v);
      return i < missing ? int64_t{1} : v.shape[i - missing];
    };
    const int64_t da = dim(a);
    const int64_t db = dim(r.arg(1));
    if (da != db && da != 1 && db != 1)
      return error("broadcast",
                   fmt::format("{} of {} and {}", r.name(), operand_text(a),
                               operand_text(r.arg(1))),
                   "batch dimensions of a matmul are equal or 1", "reshape one side");
    shape.push_back(std::max(da, db));
  }
  shape.push_back(d.m);
  shape.push_back(d.n);
  return ArrayType{dtype, shape};
}

TypeResult infer_matmul(const Rule& r) {
  if (auto e = check_matmul_operands(r)) return *e;
  const Var& a = r.arg(0);
  const DType acc = accumulator_dtype(a.dtype);
  if (is_float(r.declared.dtype) != is_float(acc) || !is_storable(r.declared.dtype))
    return error("matmul-out",
                 fmt::format("{} of {} operands with out_dtype {}", r.name(), dtype_name(a.dtype),
                             dtype_name(r.declared.dtype)),
                 "float operands accumulate in FP32 and integer operands in INT32",
                 fmt::format("remove out_dtype, or use {}", dtype_name(acc)));
  return product_type(r, r.declared.dtype);
}

TypeResult infer_matmul_acc(const Rule& r) {
  if (auto e = check_matmul_operands(r)) return *e;
  const Var& acc = r.dst();
  const TypeResult product = product_type(r, accumulator_dtype(r.arg(0).dtype));
  if (std::holds_alternative<TypeError>(product)) return product;
  const auto& want = std::get<ArrayType>(product);
  if (acc.dtype != want.dtype)
    return error("matmul-acc", fmt::format("matmul_acc into {}", operand_text(acc)),
                 fmt::format("the accumulator of a {} matmul is {}", dtype_name(r.arg(0).dtype),
                             dtype_name(want.dtype)),
                 fmt::format("declare the accumulator as {}", dtype_name(want.dtype)));
  if (acc.shape != want.shape)
    return error("matmul-acc",
                 fmt::format("matmul_acc of {} and {} into {}", operand_text(r.arg(0)),
                             operand_text(r.arg(1)), operand_text(acc)),
                 "the accumulator must have the shape of the product",
                 fmt::format("declare the accumulator as {}", shape_text(want.shape)));
  return ArrayType{acc.dtype, acc.shape};
}

TypeResult infer_matmul_bias(const Rule& r) {
  const TypeResult product = infer_matmul(r);
  if (std::holds_alternative<TypeError>(product)) return product;
  const auto& t = std::get<ArrayType>(product);
  const Var& bias = r.arg(2);
  if (t.shape.size() != 2 || bias.dtype != accumulator_dtype(r.arg(0).dtype) ||
      bias.shape != Shape{1, t.shape[1]})
    return error("matmul-bias", fmt::format("matmul_bias with bias {}", operand_text(bias)),
                 "the bias must be one row of the accumulator's type",
                 fmt::format("give a [1 x {}] tile", cols(t.shape)));
  return product;
}

TypeResult infer_gemv(const Rule& r) {
  const TypeResult product = infer_matmul(r);
  if (std::holds_alternative<TypeError>(product)) return product;
  if (matmul_dims(r).m != 1)
    return error("gemv", fmt::format("gemv with left operand {}", operand_text(r.arg(0))),
                 "gemv multiplies one row by a matrix", "use matmul");
  return product;
}

// ---- elementwise -------------------------------------------------------------------------------

TypeResult infer_binary(const Rule& r) {
  const Var& a = r.arg(0);
  const bool is_compare = r.op.kind == OpKind::Cmp;
  if (r.op.args.size() == 1)
    return literal_fits(r, a.dtype, {is_compare ? DType::Bool : a.dtype, a.shape});
  const Var& b = r.arg(1);
  Shape shape(std::max(rank(a), rank(b)));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto dim = [&](const Var& v) {
      const std::size_t missing = shape.size() - rank(v);
      return i < missing ? int64_t{1} : v.shape[i - missing];
    };
    if (dim(a) != dim(b) && dim(a) != 1 && dim(b) != 1)
      return error("broadcast",
                   fmt::format("{} of {} and {}", r.name(), operand_text(a), operand_text(b)),
                   "operands have equal trailing dimensions, or one of them is 1",
                   "slice or reshape one side");
    shape[i] = std::max(dim(a), dim(b));
  }
  return ArrayType{is_compare ? DType::Bool : promote(a.dtype, b.dtype), shape};
}

TypeResult infer_unary(const Rule& r) {
  const Var& a = r.arg(0);
  if (r.op.kind == OpKind::Rsqrt && is_integer(a.dtype)) return ArrayType{DType::F32, a.shape};
  const bool sign_only = r.op.kind == OpKind::Neg || r.op.kind == OpKind::Abs;
  const bool integer_ok = sign_only && is_signed(a.dtype);
  if (!is_float(a.dtype) && !integer_ok)
    return error("dtype", fmt::format("{} of {}", r.name(), operand_text(a)),
                 fmt::format("{} takes float tiles", r.name()), "cast the operand to FP32 first");
  return ArrayType{a.dtype, a.shape};
}

Shape one_column(Shape s) {
  s.back() = 1;
  return s;
}

// An expansion that computes nothing fills the shape of its target, whose elements are not read.
TypeResult expanded(const Rule& r) {
  const Var& x = r.arg(0);
  const Var& v = r.arg(1);
  const bool fills = r.op.kind == OpKind::RowExpand || r.op.kind == OpKind::ColExpand;
  if (fills && x.dtype != v.dtype)
    return error("expand-dtype",
                 fmt::format("{} of {} to the shape of {}", r.name(), operand_text(v),
                             operand_text(x)),
                 fmt::format("{} needs operands of the same element type", r.name()),
                 fmt::format("cast one of them to {}", dtype_name(promote(x.dtype, v.dtype))));
  return ArrayType{promote(x.dtype, v.dtype), x.shape};
}

// Dimensions before rows and columns are the other's, or 1.
bool leading_match(const Shape& v, const Shape& x) {
  for (std::size_t i = 0; i + 2 < v.size(); ++i)
    if (v[i] != 1 && v[i] != x[i + x.size() - v.size()]) return false;
  return true;
}

TypeResult infer_row_expand(const Rule& r) {
  const Var& x = r.arg(0);
  const Var& v = r.arg(1);
  if (rank(v) < 2 || rank(v) > rank(x) || cols(v.shape) != 1 || rows(v.shape) != rows(x.shape) ||
      !leading_match(v.shape, x.shape))
    return error("row-expand",
                 fmt::format("{} of {} by {}", r.name(), operand_text(x), operand_text(v)),
                 "row_expand takes one value per row: a vector of shape [M, 1] for a tile of "
                 "shape [M, N]",
                 rank(x) < 2
                     ? "reshape both to two dimensions"
                     : fmt::format("give a vector of shape {}", shape_text(one_column(x.shape))));
  return expanded(r);
}

TypeResult infer_col_expand(const Rule& r) {
  const Var& x = r.arg(0);
  const Var& v = r.arg(1);
  if (rows(v.shape) != 1 || cols(v.shape) != cols(x.shape) || rank(v) > rank(x) ||
      !leading_match(v.shape, x.shape))
    return error("col-expand",
                 fmt::format("{} of {} by {}", r.name(), operand_text(x), operand_text(v)),
                 "col_expand takes one value per column: a vector of shape [1, N] for a tile of "
                 "shape [M, N]",
                 fmt::format("give a vector of shape [1 x {}]", cols(x.shape)));
  return expanded(r);
}

// ---- reduce and sort ---------------------------------------------------------------------------

TypeResult infer_reduce(const Rule& r) {
  const Var& a = r.arg(0);
  if (rank(a) < 2)
    return error("rank", fmt::format("{} of {}", r.name(), operand_text(a)),
                 "a reduction needs at least two dimensions", "reshape to [1, N]");
  Shape shape = a.shape;
  const bool one_row = op_info(r.op.kind).valid == ValidRule::OneRow;
  (one_row ? shape[shape.size() - 2] : shape.back()) = 1;
  const bool names_column = r.op.kind == OpKind::RowArgMax || r.op.kind == OpKind::RowArgMin;
  return ArrayType{names_column ? DType::I32 : a.dtype, shape};
}

TypeResult infer_arange(const Rule& r) {
  if (!is_integer(r.declared.dtype) || r.declared.shape.size() != 2 || r.declared.shape[0] != 1)
    return error("arange", fmt::format("arange of {}", type_text(r.declared)),
                 "arange produces one row of integers", "use a shape [1, N] and an integer type");
  return r.declared;
}

TypeResult infer_sort32(const Rule& r) {
  const Var& x = r.arg(0);
  const Var& index = r.arg(1);
  if (rank(x) != 2 || cols(x.shape) % 32 != 0 || x.dtype != DType::F32 ||
      (index.dtype != DType::I32 && index.dtype != DType::U32) || index.shape != x.shape)
    return error("sort", fmt::format("sort32 of {} with {}", operand_text(x), operand_text(index)),
                 "sort32 takes FP32 values and 32-bit indices of one shape, in runs of 32 columns",
                 "pad the row to a multiple of 32 columns with fillpad");
  return ArrayType{x.dtype, {x.shape[0], 2 * x.shape[1]}};
}

TypeResult infer_merge_sort(const Rule& r) {
  const Var& a = r.arg(0);
  if (r.op.args.size() == 2) {
    const Var& b = r.arg(1);
    if (rank(a) != 2 || rank(b) != 2 || a.dtype != b.dtype || a.shape[0] != b.shape[0])
      return error("sort", fmt::format("mrgsort of {} and {}", operand_text(a), operand_text(b)),
                   "mrgsort merges two lists of (value, index) pairs with equal rows",
                   "use 2-D tiles with equal rows and element type");
    return ArrayType{a.dtype, {a.shape[0], a.shape[1] + b.shape[1]}};
  }
  if (rank(a) != 2 || r.op.block_length < 2 || r.op.block_length % 2 != 0 ||
      cols(a.shape) % r.op.block_length != 0)
    return error("sort",
                 fmt::format("mrgsort of {} with block_len {}", operand_text(a), r.op.block_length),
                 "mrgsort merges groups of four sorted runs of block_len lanes, two lanes per pair",
                 "use an even block_len that divides the row");
  return ArrayType{a.dtype, a.shape};
}

TypeResult infer_gather_mask(const Rule& r) {
  const Var& a = r.arg(0);
  if (rank(a) != 2 || cols(a.shape) % 2 != 0 || bits(r.declared.dtype) != bits(a.dtype))
    return error("gather",
                 fmt::format("gather by mask of {} as {}", operand_text(a),
                             dtype_name(r.declared.dtype)),
                 "a mask gather takes every second lane of an even row and keeps the lane width",
                 "choose an output type of the same width");
  return ArrayType{r.declared.dtype, {a.shape[0], a.shape[1] / 2}};
}

TypeResult infer_gather(const Rule& r) {
  const Var& x = r.arg(0);
  const Var& index = r.arg(1);
  if (rank(x) != 2 || rank(index) != 2 || !is_integer(index.dtype) || x.shape[0] != index.shape[0])
    return error("gather", fmt::format("gather of {} by {}", operand_text(x), operand_text(index)),
                 "for each row, gather takes the columns given by integer indices",
                 "use 2-D tiles with equal rows, and an integer index");
  return ArrayType{x.dtype, index.shape};
}

TypeResult infer_scatter_mask(const Rule& r) {
  const Var& x = r.arg(0);
  const Var& into = r.arg(1);
  if (rank(x) != 2 || rank(into) != 2 || x.dtype != into.dtype || x.shape[0] != into.shape[0] ||
      2 * x.shape[1] != into.shape[1])
    return error("scatter",
                 fmt::format("scatter by mask of {} into {}", operand_text(x), operand_text(into)),
                 "a mask scatter writes every second lane: [M, N] into [M, 2 N] of the same type",
                 "use 2-D tiles with equal rows and a destination twice as wide");
  return ArrayType{into.dtype, into.shape};
}

}  // namespace

std::string type_text(const ArrayType& t) {
  return fmt::format("{} {}", shape_text(t.shape), dtype_short_name(t.dtype));
}

std::optional<TypeError> refused_by_devices(const Op& op, const Program& program) {
  if (op_family(op.kind) != OpFamily::Matmul) return std::nullopt;
  const ArrayType undeclared;
  const Rule r{op, undeclared, program};
  if (!widens_right(r.arg(0).dtype, r.arg(1).dtype)) return std::nullopt;
  return one_type_error(product_text(r), r.arg(0).dtype, r.arg(1).dtype);
}

DType accumulator_dtype(DType left) { return is_float(left) ? DType::F32 : DType::I32; }

ArrayType likely(const Op& op, ArrayType declared, const Program& program) {
  const Rule r{op, declared, program};
  const bool product = op_info(op.kind).type == TypeRule::Matmul;
  if (product && rank(r.arg(0)) >= 2 && rank(r.arg(1)) >= 2) {
    const MatmulDims d = matmul_dims(r);
    declared.shape = {d.m, d.n};
  } else if (declared.shape.empty() && !op.args.empty()) {
    declared.shape = r.arg(0).shape;
  }
  return usable(std::move(declared));
}

ArrayType usable(ArrayType type) {
  for (int64_t& d : type.shape) d = std::max<int64_t>(d, 1);
  if (!is_storable(type.dtype)) type.dtype = DType::F32;
  if (unusable(type)) type.shape = {1, 1};
  return type;
}

std::string type_text(const Var& v) { return type_text(ArrayType{v.dtype, v.shape}); }

std::optional<TypeError> unusable(const ArrayType& t) {
  if (t.shape.empty() || std::ranges::any_of(t.shape, [](int64_t d) { return d < 1; }))
    return error("shape", fmt::format("shape {}", shape_text(t.shape)),
                 "every dimension of a tensor must be at least 1",
                 "check the sizes that the shape is computed from");
  if (t.shape.size() > kMaxRank)
    return error("rank",
                 fmt::format("shape {}, which has {} dimensions", shape_text(t.shape),
                             t.shape.size()),
                 fmt::format("a tensor has at most {} dimensions", kMaxRank),
                 "merge neighbouring dimensions");
  if (!is_storable(t.dtype))
    return error("dtype", fmt::format("{} elements", dtype_name(t.dtype)),
                 "the language defines 4-bit and 8-bit float types, but no executor supports them",
                 "use BF16, FP16, FP32 or an integer type of 8 bits or more");
  if (is_encoded(t.dtype) && t.shape.back() % block_elements(t.dtype) != 0)
    return error("encoded-block",
                 fmt::format("shape {} of {} elements", shape_text(t.shape), dtype_name(t.dtype)),
                 fmt::format("rows of {} consist of blocks of {} elements", dtype_name(t.dtype),
                             block_elements(t.dtype)),
                 "use a type whose blocks divide the row");
  if (!checked_element_count(t.shape))
    return error("shape", fmt::format("shape {}, which is too large", shape_text(t.shape)),
                 "a tensor's size in bytes fits in 63 bits",
                 "check the sizes that the shape is computed from");
  return std::nullopt;
}

namespace {

TypeResult infer_kind(const Rule& r) {
  switch (op_info(r.op.kind).type) {
    case TypeRule::Declared: return r.declared;
    case TypeRule::Filled: return infer_full(r);
    case TypeRule::Window: return infer_slice(r);
    case TypeRule::Insert: return infer_assemble(r);
    case TypeRule::AsOperand: return ArrayType{r.arg(0).dtype, r.arg(0).shape};
    case TypeRule::Reshape: return infer_reshape(r);
    case TypeRule::Concat: return infer_concat(r);
    case TypeRule::Transpose: return infer_transpose(r);
    case TypeRule::FillPad: return infer_fillpad(r);
    case TypeRule::SetValid: return infer_set_valid(r);
    case TypeRule::Cast: return ArrayType{r.declared.dtype, r.arg(0).shape};
    case TypeRule::Matmul: return infer_matmul(r);
    case TypeRule::MatmulAcc: return infer_matmul_acc(r);
    case TypeRule::MatmulBias: return infer_matmul_bias(r);
    case TypeRule::Gemv: return infer_gemv(r);
    case TypeRule::Binary: return infer_binary(r);
    case TypeRule::Unary: return infer_unary(r);
    case TypeRule::RowExpand: return infer_row_expand(r);
    case TypeRule::ColExpand: return infer_col_expand(r);
    case TypeRule::Reduce: return infer_reduce(r);
    case TypeRule::Arange: return infer_arange(r);
    case TypeRule::Sort32: return infer_sort32(r);
    case TypeRule::MergeSort: return infer_merge_sort(r);
    case TypeRule::GatherMask: return infer_gather_mask(r);
    case TypeRule::Gather: return infer_gather(r);
    case TypeRule::ScatterMask: return infer_scatter_mask(r);
  }
  bug("infer: type rule");
}

// Encoded weights come from outside and are multiplied; nothing else is defined for them.
std::optional<TypeError> check_encoded_use(const Rule& r) {
  const TypeRule rule = op_info(r.op.kind).type;
  const bool window = rule == TypeRule::Window || rule == TypeRule::AsOperand;
  const bool product = op_info(r.op.kind).family == OpFamily::Matmul;
  for (std::size_t i = 0; i < r.op.args.size(); ++i) {
    const Var& a = r.arg(i);
    if (!is_encoded(a.dtype) || (i == 0 && window) || (i == 1 && product)) continue;
    return error("encoded-use", fmt::format("{} of {}", r.name(), operand_text(a)),
                 fmt::format("a weight in {} can be sliced, loaded, moved, and be the right "
                             "operand of a product",
                             dtype_name(a.dtype)),
                 "declare the weight as BF16 or FP32 where elements are needed");
  }
  if (is_encoded(r.declared.dtype) && !window)
    return error("encoded-use",
                 fmt::format("{} of {} elements", r.name(), dtype_name(r.declared.dtype)),
                 "only parameters have encoded elements: no op computes them",
                 "use BF16, FP16, FP32 or an integer type");
  return std::nullopt;
}

}  // namespace

TypeResult infer(const Op& op, const ArrayType& declared, const Program& program) {
  const Rule r{op, declared, program};
  if (auto e = check_encoded_use(r)) return *e;
  TypeResult result = infer_kind(r);
  // Broadcasts, products and concats can be too large although their operands are not.
  if (const auto* type = std::get_if<ArrayType>(&result))
    return check_shape(r, type->shape, type->dtype);
  return result;
}

}  // namespace tilewright::ir
