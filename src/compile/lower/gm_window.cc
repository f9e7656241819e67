#include "tilewright/compile/lower/gm_window.h"

#include <algorithm>
#include <cstdlib>

namespace tilewright::compile {

using namespace ir;

namespace {

// Extents of a tile as dimensions of the array it is a window of.
Shape extent_in(const Var& array, const Var& tile, bool transposed) {
  Shape inner = tile.shape;
  if (transposed) std::ranges::reverse(inner);
  Shape extent(array.shape.size() - inner.size(), 1);
  extent.insert(extent.end(), inner.begin(), inner.end());
  return extent;
}

int64_t coefficient_of(const Expr& e, VarId v) {
  int64_t c = 0;
  for (const Term& t : e.terms())
    if (t.var == v) c = t.coefficient;
  return c;
}

// Whether the windows differ in this dimension whatever the scalars are.
bool apart(const Expr& a, int64_t a_extent, const Expr& b, int64_t b_extent,
           const Crossed& crossed) {
  const Expr distance = a - b;
  if (!distance.is_constant()) return false;
  if (!crossed.any) return distance.constant() >= b_extent || -distance.constant() >= a_extent;
  // The same window in another trip of one loop, which moves it by its own extent or more.
  if (!crossed.only || distance.constant() != 0) return false;
  const int64_t step = coefficient_of(a, crossed.only->var) * crossed.only->step;
  return std::abs(step) >= std::max(a_extent, b_extent);
}

}  // namespace

GmWindow gm_window(const Instruction& in, const Program& p) {
  if (in.action == Action::Read)
    return {in.read.array, in.read.index, Shape(in.read.index.size(), 1)};
  const bool stores = in.action == Action::Store;
  const VarId array = stores ? in.op.dst : in.op.args[0];
  const VarId tile = stores ? in.op.args[0] : in.op.dst;
  return {array, in.op.offset, extent_in(p[array], p[tile], in.op.transpose)};
}

bool are_disjoint(const GmWindow& a, const GmWindow& b, const Crossed& crossed) {
  if (a.array != b.array) return false;  // two views of one tensor
  for (std::size_t d = 0; d < a.extent.size(); ++d)
    if (apart(a.offset[d], a.extent[d], b.offset[d], b.extent[d], crossed)) return true;
  return false;
}

}  // namespace tilewright::compile
