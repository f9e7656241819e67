#include "tilewright/ir/spoil.h"

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::ir {
namespace {

using Visit = std::function<void(const Rect&)>;

struct Spoiled {
  const Op& op;
  std::size_t arg;
  const Rect& from;
  const Program& p;
  const Visit& visit;

  const Shape& shape() const { return p[op.args[arg]].shape; }
  RowsCols dst() const { return rows_cols(p[op.dst].shape); }

  void all() const { visit({0, dst().rows, 0, dst().cols}); }
  void rows(int64_t first, int64_t count) const { visit({first, count, 0, dst().cols}); }
  void columns(int64_t first, int64_t count) const { visit({0, dst().rows, first, count}); }

  // The same elements; a dimension of one element is repeated.
  void same() const {
    const RowsCols own = rows_cols(shape());
    const RowsCols to = dst();
    Rect r = from;
    if (own.rows != to.rows) {
      if (own.rows != 1) return all();  // broadcast somewhere in the middle of many dimensions
      r.row = 0, r.rows = to.rows;
    }
    if (own.cols != to.cols) r.col = 0, r.cols = to.cols;
    visit(r);
  }

  void transposed() const { visit({from.col, from.cols, from.row, from.rows}); }

  // The same elements in other rows: every row of the rectangle is a run of the flat array.
  void relabelled() const {
    const int64_t cols = shape().back();
    TensorRef run;
    run.base = from.row * cols + from.col;
    run.rank = 2;
    run.shape = {from.rows, from.cols};
    run.stride = {cols, 1};
    for_each_rect(run, dst().cols, visit);
  }

  // One row for every matrix of the operand.
  void column_sums() const {
    const int64_t height = shape()[shape().size() - 2];
    const int64_t first = from.row / height;
    visit({first, (from.row_end() - 1) / height + 1 - first, from.col, from.cols});
  }

  void joined() const {
    visit({from.row, from.rows, from.col + (arg == 1 ? p[op.args[0]].shape.back() : 0), from.cols});
  }

  // Rows of the left operand are rows of the product, columns of the right one its columns.
  void product() const {
    if (shape().size() > 2) return all();
    if (arg == 0) return op.a_trans ? rows(from.col, from.cols) : rows(from.row, from.rows);
    if (arg == 2) return columns(from.col, from.cols);
    op.b_trans ? columns(from.row, from.rows) : columns(from.col, from.cols);
  }
};

}  // namespace

void for_each_spoiled(const Op& op, std::size_t arg, const Rect& from, const Program& p,
                      const Visit& visit) {
  const Spoiled s{op, arg, from, p, visit};
  switch (op.kind) {
    case OpKind::Create:
    case OpKind::Full:
    case OpKind::Arange: break;  // no operands
    case OpKind::Slice:
    case OpKind::Assemble:
    case OpKind::Load:
    case OpKind::Store: break;
    case OpKind::Move:
    case OpKind::Copy:
    case OpKind::Cast:
    case OpKind::FillPad:
    case OpKind::SetValid:
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Fmod:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Cmp:
    case OpKind::Neg:
    case OpKind::Abs:
    case OpKind::Exp:
    case OpKind::Log:
    case OpKind::Sqrt:
    case OpKind::Recip:
    case OpKind::Rsqrt:
    case OpKind::RowExpandAdd:
    case OpKind::RowExpandSub:
    case OpKind::RowExpandMul:
    case OpKind::RowExpandDiv:
    case OpKind::ColExpandAdd:
    case OpKind::ColExpandSub:
    case OpKind::ColExpandMul:
    case OpKind::ColExpandDiv: return s.same();
    case OpKind::RowExpand:
    case OpKind::ColExpand:
      if (arg == 1) s.same();  // the first operand only gives the shape
      return;
    case OpKind::Reshape: return s.relabelled();
    case OpKind::Concat: return s.joined();
    case OpKind::Transpose: return s.transposed();
    case OpKind::Matmul:
    case OpKind::MatmulAcc:
    case OpKind::MatmulBias:
    case OpKind::Gemv: return s.product();
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin:
    case OpKind::RowArgMax:
    case OpKind::RowArgMin: return s.rows(from.row, from.rows);
    case OpKind::ColSum:
    case OpKind::ColMax:
    case OpKind::ColMin: return s.column_sums();
    // What is undefined may end up anywhere in its row.
    case OpKind::Sort32:
    case OpKind::MergeSort:
    case OpKind::GatherMask:
    case OpKind::ScatterMask:
    case OpKind::Gather: return s.rows(from.row, from.rows);
  }
  bug("for_each_spoiled: an op without operands, or one that moves a window");
}

bool must_be_defined(const Op& op, std::size_t arg, const Program& p) {
  if (arg != 1) return false;
  return op.kind == OpKind::Gather || (op.kind == OpKind::Div && !is_float(p[op.dst].dtype));
}

}  // namespace tilewright::ir
