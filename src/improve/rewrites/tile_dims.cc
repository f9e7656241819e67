#include "tilewright/improve/rewrites/tile_dims.h"

#include <algorithm>

namespace tilewright::improve {
namespace {

using namespace ir;

struct DimWriter {
  const Program& p;
  const Op& op;
  DimRules out;

  const Shape& shape(VarId v) const { return p[v].shape; }

  // Dimensions counted from the last, so that leading ones may be missing.
  bool has(VarId v, std::size_t from_end) const { return from_end < shape(v).size(); }
  TileDim dim(VarId v, std::size_t from_end) const { return {v, shape(v).size() - 1 - from_end}; }
  int64_t extent(VarId v, std::size_t from_end) const {
    return shape(v)[shape(v).size() - 1 - from_end];
  }
  void together(TileDim a, TileDim b) { out.together.emplace_back(a, b); }
  void fix(VarId v) {
    for (std::size_t i = 0; i < shape(v).size(); ++i) out.fixed.push_back({v, i});
  }

  // One dimension of an operand that may be broadcast.
  void broadcast(VarId v, std::size_t from_end) {
    if (!has(v, from_end) || !has(op.dst, from_end)) return;
    const TileDim from = dim(v, from_end), to = dim(op.dst, from_end);
    if (extent(v, from_end) > 1)
      together(from, to);
    else
      out.leads.emplace_back(from, to);
  }
  void same_dims(VarId a, VarId b, std::size_t first_from_end = 0) {
    for (std::size_t i = first_from_end; has(a, i) && has(b, i); ++i)
      together(dim(a, i), dim(b, i));
  }

  void fold_along(TileDim d, Fold fold) {
    out.folded.push_back(d);
    out.fold = fold;
  }
};

void product_dims(DimWriter& w) {
  const VarId a = w.op.args[0], b = w.op.args[1];
  const std::size_t left_k = w.op.a_trans ? 1 : 0, right_k = w.op.b_trans ? 0 : 1;
  w.together(w.dim(a, 1 - left_k), w.dim(w.op.dst, 1));
  w.together(w.dim(b, 1 - right_k), w.dim(w.op.dst, 0));
  w.together(w.dim(a, left_k), w.dim(b, right_k));
  w.fold_along(w.dim(a, left_k), Fold::Sum);
  for (std::size_t i = 2; w.has(w.op.dst, i); ++i) {
    w.broadcast(a, i);
    w.broadcast(b, i);
  }
  if (w.op.kind == OpKind::Gemv) w.out.fixed.push_back(w.dim(w.op.dst, 1));
  if (w.op.kind != OpKind::MatmulBias) return;
  w.together(w.dim(w.op.args[2], 0), w.dim(w.op.dst, 0));
  w.out.fixed.push_back(w.dim(w.op.args[2], 1));
  w.out.fixed.push_back(w.dim(a, left_k));  // the bias would be added once for each part
}

// x and one number per row (along = 1) or column (along = 0) of it.
void expand_dims(DimWriter& w, std::size_t along) {
  const VarId x = w.op.args[0], v = w.op.args[1];
  w.same_dims(x, w.op.dst);
  for (std::size_t i = 0; w.has(v, i); ++i) {
    if (i == along || (i > 1 && w.extent(v, i) > 1))
      w.together(w.dim(v, i), w.dim(x, i));
    else
      w.out.fixed.push_back(w.dim(v, i));
  }
}

void reduce_dims(DimWriter& w) {
  const std::size_t along = op_info(w.op.kind).valid == ValidRule::OneRow ? 1 : 0;
  const VarId x = w.op.args[0];
  for (std::size_t i = 0; w.has(x, i); ++i)
    if (i != along) w.together(w.dim(x, i), w.dim(w.op.dst, i));
  w.out.fixed.push_back(w.dim(w.op.dst, along));
  switch (w.op.kind) {
    case OpKind::RowSum:
    case OpKind::ColSum: w.fold_along(w.dim(x, along), Fold::Sum); break;
    case OpKind::RowMax:
    case OpKind::ColMax: w.fold_along(w.dim(x, along), Fold::Max); break;
    case OpKind::RowMin:
    case OpKind::ColMin: w.fold_along(w.dim(x, along), Fold::Min); break;
    default: w.out.fixed.push_back(w.dim(x, along));  // the number of a column counts from its tile
  }
}

// Rows lie one after the other: a dimension is found again where as many elements stand before it.
void reshape_dims(DimWriter& w) {
  const VarId x = w.op.args[0], y = w.op.dst;
  int64_t before = 1;
  for (std::size_t i = 0; i < w.shape(x).size(); before *= w.shape(x)[i++]) {
    int64_t other = 1;
    std::size_t j = 0;
    while (j < w.shape(y).size() && (other < before || (w.shape(y)[j] == 1 && w.shape(x)[i] != 1)))
      other *= w.shape(y)[j++];
    if (j < w.shape(y).size() && other == before && (w.shape(x)[i] != 1 || w.shape(y)[j] == 1))
      w.together({x, i}, {y, j});
    else
      w.out.fixed.push_back({x, i});
  }
}

void row_wise_dims(DimWriter& w) {
  std::vector<VarId> all = w.op.args;
  all.push_back(w.op.dst);
  for (VarId v : all) {
    w.out.fixed.push_back(w.dim(v, 0));
    if (v != w.op.dst) w.same_dims(v, w.op.dst, 1);
  }
}

}  // namespace

DimRules dim_rules(const Program& p, const Op& op) {
  DimWriter w{p, op, {}};
  switch (op_info(op.kind).type) {
    case TypeRule::Declared:
    case TypeRule::Filled:
    case TypeRule::Window:
    case TypeRule::Insert: break;
    case TypeRule::AsOperand:
    case TypeRule::FillPad:
    case TypeRule::SetValid:
    case TypeRule::Cast:
    case TypeRule::Unary: w.same_dims(op.args[0], op.dst); break;
    case TypeRule::Binary:
      for (VarId v : op.args) {
        if (op.args.size() == 1) w.same_dims(v, op.dst);
        for (std::size_t i = 0; i < w.shape(op.dst).size(); ++i) w.broadcast(v, i);
      }
      break;
    case TypeRule::Reshape: reshape_dims(w); break;
    case TypeRule::Transpose:
      w.together({op.args[0], 0}, {op.dst, 1});
      w.together({op.args[0], 1}, {op.dst, 0});
      break;
    case TypeRule::Matmul:
    case TypeRule::MatmulAcc:
    case TypeRule::MatmulBias:
    case TypeRule::Gemv: product_dims(w); break;
    case TypeRule::RowExpand: expand_dims(w, 1); break;
    case TypeRule::ColExpand: expand_dims(w, 0); break;
    case TypeRule::Reduce: reduce_dims(w); break;
    case TypeRule::Arange: w.fix(op.dst); break;
    case TypeRule::Concat:
    case TypeRule::Sort32:
    case TypeRule::MergeSort:
    case TypeRule::GatherMask:
    case TypeRule::Gather:
    case TypeRule::ScatterMask: row_wise_dims(w); break;
  }
  return std::move(w.out);
}

std::optional<std::size_t> WindowOp::small_dim(std::size_t large_dim) const {
  if (large_dim < dropped) return std::nullopt;
  const std::size_t d = large_dim - dropped;
  return swapped ? 1 - d : d;
}

std::optional<WindowOp> window_op(const Program& p, const Op& op) {
  const TypeRule rule = op_info(op.kind).type;
  if (rule != TypeRule::Window && rule != TypeRule::Insert) return std::nullopt;
  WindowOp w;
  w.large = rule == TypeRule::Window ? op.args[0] : op.dst;
  w.small = rule == TypeRule::Window ? op.dst : op.args[0];
  w.dropped = p[w.large].shape.size() - p[w.small].shape.size();
  w.swapped = op.transpose;
  return w;
}

}  // namespace tilewright::improve
