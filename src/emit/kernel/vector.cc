// Instructions of the vector core.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tilewright/emit/kernel/instruction.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::emit {

using namespace ir;

namespace {

std::string_view round_mode(CastMode m) {
  switch (m) {
    case CastMode::Rint: return "RoundMode::CAST_RINT";
    case CastMode::Round: return "RoundMode::CAST_ROUND";
    case CastMode::Floor: return "RoundMode::CAST_FLOOR";
    case CastMode::Ceil: return "RoundMode::CAST_CEIL";
    case CastMode::Trunc: return "RoundMode::CAST_TRUNC";
  }
  return "";
}

bool converts(DType from, DType to) {
  constexpr std::array<std::pair<DType, DType>, 14> kPairs{{
      {DType::F32, DType::BF16},
      {DType::BF16, DType::F32},
      {DType::F32, DType::F16},
      {DType::F16, DType::F32},
      {DType::F32, DType::I32},
      {DType::I32, DType::F32},
      {DType::F32, DType::I16},
      {DType::I16, DType::F32},
      {DType::F16, DType::I32},
      {DType::F16, DType::I16},
      {DType::F16, DType::I8},
      {DType::I8, DType::F16},
      {DType::I32, DType::F16},
      {DType::BF16, DType::I32},
  }};
  return std::ranges::find(kPairs, std::pair{from, to}) != kPairs.end();
}

// The instruction for a small second operand: TADD with a column beside rows is TROWEXPANDADD.
std::optional<OpKind> expanding(OpKind kind, bool per_row) {
  switch (kind) {
    case OpKind::Add: return per_row ? OpKind::RowExpandAdd : OpKind::ColExpandAdd;
    case OpKind::Sub: return per_row ? OpKind::RowExpandSub : OpKind::ColExpandSub;
    case OpKind::Mul: return per_row ? OpKind::RowExpandMul : OpKind::ColExpandMul;
    case OpKind::Div: return per_row ? OpKind::RowExpandDiv : OpKind::ColExpandDiv;
    default: return std::nullopt;
  }
}

}  // namespace

void InstructionWriter::vector(const Instruction& in) {
  if (const auto op = vector_op(in.op.kind)) return by_table(in, *op);
  const std::string dst = in.dst ? tiles_.row_name(in.dst->var) : "";
  switch (in.op.kind) {
    case OpKind::Full:
      return call("TEXPANDS", {dst, spell_.text(*in.op.scalar, var(*in.dst).dtype)});
    case OpKind::Cast: return cast(in);
    case OpKind::Move:
    case OpKind::Copy: return copy(in);
    case OpKind::FillPad: return fill(in);
    case OpKind::Concat:
      return call("TCONCAT", {dst, tiles_.name(in.src[0].var), tiles_.name(in.src[1].var)});
    default: return refuse_op(in);
  }
}

void InstructionWriter::by_table(const Instruction& in, const VectorOp& op) {
  const DType type = var(in.src[0]).dtype;
  const bool same =
      std::ranges::all_of(in.src, [&](const Operand& o) { return var(o).dtype == type; });
  if (!allowed(op.types, type) || !same || var(*in.dst).dtype != type)
    return refuse(in, fmt::format("{} of {}", op.instruction, dtype_name(type)),
                  op.types == Types::Floats
                      ? "this instruction computes FP32 or FP16, operands and result alike"
                      : "this instruction computes FP32, FP16, INT32 or INT16, operands and result "
                        "alike",
                  "cast the operands, to pl.FP32 for example");
  const std::string dst = tiles_.name(in.dst->var);
  const auto operand = [&](std::size_t i) { return tiles_.name(in.src[i].var); };
  switch (op.shape) {
    case OperandShape::Elements: return elements(in, op);
    case OperandShape::PerRow:
    case OperandShape::PerColumn: return call(op.instruction, {dst, operand(0), operand(1)});
    case OperandShape::Spread: return call(op.instruction, {dst, operand(1)});
    case OperandShape::AlongRows: return along_rows(in, op);
    case OperandShape::AlongColumns: return call(op.instruction, {dst, operand(0)});
  }
}

// Whether two operands have their elements in the same order.
bool InstructionWriter::alike(const Instruction& in, VarId a, VarId b) {
  const Form x = as_row(tiles_.form(a)), y = as_row(tiles_.form(b));
  if (x.valid_rows == y.valid_rows && x.valid_cols == y.valid_cols) return true;
  refuse(in,
         fmt::format("operands of {} x {} and {} x {} elements", x.valid_rows, x.valid_cols,
                     y.valid_rows, y.valid_cols),
         "an instruction works on tiles of one shape, or on rows beside a column or a row",
         "expand the smaller operand with pl.row_expand or pl.col_expand");
  return false;
}

void InstructionWriter::elements(const Instruction& in, const VectorOp& op) {
  const auto row = [&](const Operand& o) { return tiles_.row_name(o.var); };
  if (in.op.scalar) {
    if (op.with_scalar.empty()) return refuse_op(in);
    if (alike(in, in.dst->var, in.src[0].var))
      call(op.with_scalar,
           {row(*in.dst), row(in.src[0]), spell_.text(*in.op.scalar, var(in.src[0]).dtype)});
    return;
  }
  if (in.src.size() == 2) {
    const RowsCols a = rows_cols(var(in.src[0]).shape), b = rows_cols(var(in.src[1]).shape);
    const bool per_row = b.rows == a.rows && b.cols == 1,
               per_column = b.rows == 1 && b.cols == a.cols;
    if (!(a == b) && (per_row || per_column))
      if (const auto kind = expanding(in.op.kind, per_row))
        return call(vector_op(*kind)->instruction,
                    {tiles_.name(in.dst->var), tiles_.name(in.src[0].var),
                     tiles_.name(in.src[1].var)});
  }
  std::vector<std::string> operands{row(*in.dst)};
  for (const Operand& o : in.src) {
    if (!alike(in, in.dst->var, o.var)) return;
    operands.push_back(row(o));
  }
  call(op.instruction, operands);
}

// The source is declared with as many rows as its result has: a column is padded to 32 bytes.
void InstructionWriter::along_rows(const Instruction& in, const VectorOp& op) {
  const VarId source = in.src[0].var;
  if (in.scratch < 0) return refuse_op(in);
  const Storage& scratch = k_.lowered.storage[static_cast<std::size_t>(in.scratch)];
  Form form = tiles_.form(source);
  const bool padded = form.rows != tiles_.form(in.dst->var).rows;
  form.rows = tiles_.form(in.dst->var).rows;
  const Tiles::Extents valid = tiles_.extents(source);
  const auto declare = [&](std::string_view name, const std::string& address) {
    out_.line(fmt::format("{} {}{};", form.type(), name,
                          form.partial ? fmt::format("({}, {})", valid.rows, valid.cols) : ""));
    out_.line(fmt::format("TASSIGN({}, {});", name, address));
  };
  out_.open("{");
  declare("scratch", fmt::format("0x{:x}", scratch.address));
  if (padded) declare("source", tiles_.address(source));
  call(op.instruction,
       {tiles_.name(in.dst->var), padded ? "source" : tiles_.name(source), "scratch"});
  out_.close();
}

void InstructionWriter::cast(const Instruction& in) {
  const DType from = var(in.src[0]).dtype, to = var(*in.dst).dtype;
  if (!converts(from, to))
    return refuse(in, fmt::format("a cast of {} to {}", dtype_name(from), dtype_name(to)),
                  "the device converts between FP32 and BF16, FP16, INT32 or INT16, and between "
                  "FP16 and INT32, INT16 or INT8",
                  "cast by way of pl.FP32 or pl.FP16");
  if (alike(in, in.dst->var, in.src[0].var))
    call("TCVT", {tiles_.row_name(in.dst->var), tiles_.row_name(in.src[0].var),
                  std::string(round_mode(in.op.cast_mode))});
}

void InstructionWriter::fill(const Instruction& in) {
  const std::string dst = tiles_.name(in.dst->var), src = tiles_.name(in.src[0].var);
  if (tiles_.form(in.dst->var).layout != TileLayout::Rows) return refuse_op(in);
  const bool in_place = tiles_.address(in.dst->var) == tiles_.address(in.src[0].var);
  call(in_place ? "TFILLPAD_INPLACE" : "TFILLPAD", {dst, src});
}

void InstructionWriter::copy(const Instruction& in) {
  if (alike(in, in.dst->var, in.src[0].var))
    call("TMOV", {tiles_.row_name(in.dst->var), tiles_.row_name(in.src[0].var)});
}

}  // namespace tilewright::emit
