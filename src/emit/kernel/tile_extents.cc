// How much of a tile is valid, by the rules of ir/valid_extent.h, as C++.
#include <fmt/format.h>

#include "tilewright/emit/kernel/tiles.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::emit {

using namespace ir;

Tiles::Extents Tiles::extents(VarId v) const {
  const RowsCols size = rows_cols(p_[v].shape);
  if (!partial_.contains(v)) return {fmt::format("{}", size.rows), fmt::format("{}", size.cols)};
  const MatWindow from = window(v);
  const auto left = [](const std::string& whole, const std::string& begin, int64_t most) {
    if (begin == "0") return whole;
    return fmt::format("least({}, most(static_cast<int64_t>({}) - ({}), 0))", most, whole, begin);
  };
  std::string rows = name(from.root) + ".GetValidRow()", cols = name(from.root) + ".GetValidCol()";
  if (exchanged_.contains(from.root)) std::swap(rows, cols);
  return {left(rows, spell_.text(from.row), size.rows),
          left(cols, spell_.text(from.col), size.cols)};
}

// What a load or a set_validshape asks for.
std::optional<Tiles::Extents> Tiles::stated(const Instruction& in) {
  const std::vector<Expr>& valid = in.op.valid;
  if (valid.empty()) return std::nullopt;
  const Shape& shape = p_[in.op.dst].shape;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d)
    if (shape[d] > 1)
      refuse(in, "a valid shape of several matrices",
             "a tile is valid in its first rows and columns", "load one matrix at a time");
  return Extents{valid.size() > 1 ? spell_.text(valid[valid.size() - 2]) : "1",
                 spell_.text(valid.back())};
}

Tiles::Extents Tiles::resulting(const Instruction& in) {
  const auto of = [&](std::size_t i) { return extents(in.op.args[i]); };
  const RowsCols size = rows_cols(p_[in.op.dst].shape);
  const Extents whole{fmt::format("{}", size.rows), fmt::format("{}", size.cols)};
  switch (op_info(in.op.kind).valid) {
    case ValidRule::Window:
      if (const auto asked = stated(in)) return *asked;
      return of(0);
    case ValidRule::AsFirst: return of(0);
    case ValidRule::AsSecond: return of(1);
    case ValidRule::Product:
      return {in.op.a_trans ? of(0).cols : of(0).rows, in.op.b_trans ? of(1).rows : of(1).cols};
    case ValidRule::OneColumn: return {of(0).rows, "1"};
    case ValidRule::OneRow: return {"1", of(0).cols};
    case ValidRule::Swapped: return {of(0).cols, of(0).rows};
    case ValidRule::Broadcast: {
      Extents out = of(0);
      const RowsCols first = rows_cols(p_[in.op.args[0]].shape),
                     dst = rows_cols(p_[in.op.dst].shape);
      if (first.rows != dst.rows) out.rows = of(1).rows;
      if (first.cols != dst.cols) out.cols = of(1).cols;
      return out;
    }
    case ValidRule::Reshaped: {
      const RowsCols from = rows_cols(p_[in.op.args[0]].shape), to = rows_cols(p_[in.op.dst].shape);
      if (from == to) return of(0);
      if (from.rows == to.cols && from.cols == to.rows) return {of(0).cols, of(0).rows};
      break;
    }
    case ValidRule::Whole: return whole;
    case ValidRule::Unchanged:
    case ValidRule::Joined:
    case ValidRule::Halved: break;
  }
  refuse(in, "a tile that is valid in part", "this operation takes whole tiles",
         "fill the tile with pl.fillpad first");
  return whole;
}

void Tiles::set_valid(const Instruction& in, Text& out) {
  if (in.action == Action::Read || in.action == Action::Push || !partial_.contains(in.op.dst) ||
      !has(in.op.dst) || windows_.contains(in.op.dst) ||
      op_info(in.op.kind).valid == ValidRule::Unchanged)
    return;
  Extents e = resulting(in);
  if (exchanged_.contains(in.op.dst)) std::swap(e.rows, e.cols);
  out.line(fmt::format("{}.SetValidShape({}, {});", name(in.op.dst), e.rows, e.cols));
  if (rows_.contains(in.op.dst))
    out.line(fmt::format("{}_row.SetValidShape({}, {});", name(in.op.dst), e.cols, e.rows));
}

}  // namespace tilewright::emit
