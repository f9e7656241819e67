#include "tilewright/improve/rewrites/growing_tiles.h"

#include <algorithm>

#include "tilewright/improve/rewrites/ragged.h"
#include "tilewright/improve/rewrites/tile_dims.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

class GrowthSearch {
 public:
  GrowthSearch(const Program& p, const LoopBody& body, const FirstIteration& first)
      : program_(p), body_(body), first_(first) {
    for (const BodyOp& b : body.ops()) ops_.push_back(b.op);
    for (const Op* op : first.ops)
      if (std::ranges::find(ops_, op) == ops_.end()) ops_.push_back(op);
  }

  std::optional<Growth> run() {
    do {
      changed_ = false;
      for (const Op* op : ops_) {
        if (const auto w = window_op(program_, *op))
          window(*op, *w);
        else
          rules(*op);
      }
      for (const auto& [in_first, in_body] : first_.twin) tie_twins(in_first, in_body);
    } while (changed_ && possible_);
    if (!possible_ || growth_.empty() || !std::ranges::all_of(growth_, [&](const auto& g) {
          return may_grow(g.first) && valid_follows(g.first, g.second);
        }))
      return std::nullopt;
    return growth_;
  }

 private:
  bool grows(TileDim d) const {
    const auto it = growth_.find(d.var);
    return it != growth_.end() && it->second == d.dim;
  }
  void grow(TileDim d) {
    const auto [it, fresh] = growth_.try_emplace(d.var, d.dim);
    changed_ = changed_ || fresh;
    if (it->second != d.dim) possible_ = false;  // growing in two dimensions would square the work
  }
  void tie(TileDim a, TileDim b) {
    if (grows(a)) grow(b);
    if (grows(b)) grow(a);
  }
  void stay(TileDim d) {
    if (grows(d)) possible_ = false;
  }
  void tie_twins(VarId a, VarId b) {
    for (std::size_t d = 0; d < program_[a].shape.size(); ++d) tie({a, d}, {b, d});
  }

  void rules(const Op& op) {
    const DimRules r = dim_rules(program_, op);
    for (const auto& [a, b] : r.together) tie(a, b);
    for (const auto& [a, b] : r.leads)
      if (grows(a)) grow(b);
    for (const TileDim& d : r.fixed) stay(d);
  }

  void window(const Op& op, const WindowOp& w) {
    // The corresponding op of the body decides what grows.
    const bool apart = first_.ops.contains(&op);
    for (std::size_t d = 0; d < op.offset.size(); ++d) {
      const auto slope = body_.slope(op.offset[d]);
      const auto s = w.small_dim(d);
      if (!slope) {
        possible_ = false;
      } else if (*slope != 0) {
        // Windows of neighbouring iterations lie side by side.
        possible_ = possible_ && s && program_[w.small].shape[*s] == *slope;
        if (s) grow({w.small, *s});
        stay({w.large, d});
      } else if (apart) {
        continue;
      } else if (s && op.offset[d] == Expr(0) &&
                 program_[w.small].shape[*s] == program_[w.large].shape[d]) {
        tie({w.small, *s}, {w.large, d});
      } else {
        stay({w.large, d});
        if (s) stay({w.small, *s});
      }
    }
  }

  // Whether all uses of the tile are in the loop and its first iteration, and it is not carried.
  bool may_grow(VarId v) const {
    if (program_[v].scalar || program_[v].window || program_.param_of(v)) return false;
    int known = 0;
    for (const Op* op : ops_)
      for_each_array_use(Stmt{*op}, [&](VarId used, bool) { known += used == v; });
    return known == body_.uses(v) && !body_.carried(v);
  }

  // Whether a stated valid shape covers the growing dimension completely, or up to the end of the
  // data.
  bool valid_follows(VarId v, std::size_t dim) const {
    const int64_t extent = program_[v].shape[dim];
    return std::ranges::all_of(ops_, [&](const Op* op) {
      if (op->dst != v || op->valid.empty() || op->valid[dim] == Expr(extent)) return true;
      return is_ragged(op->valid[dim], extent) && valid_moves(*op, dim, extent);
    });
  }
  bool valid_moves(const Op& op, std::size_t dim, int64_t extent) const {
    if (first_.ops.contains(&op)) return true;
    const Node& n = *op.valid[dim].terms().front().node;
    return body_.slope(n.a == Expr(extent) ? n.b : n.a) == -extent;
  }

  const Program& program_;
  const LoopBody& body_;
  const FirstIteration& first_;
  std::vector<const Op*> ops_;
  Growth growth_;
  bool changed_ = false, possible_ = true;
};

}  // namespace

std::optional<Growth> growing_tiles(const Program& p, const LoopBody& body,
                                    const FirstIteration& first) {
  return GrowthSearch(p, body, first).run();
}

}  // namespace tilewright::improve
