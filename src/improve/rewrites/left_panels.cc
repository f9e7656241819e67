#include "tilewright/improve/rewrites/left_panels.h"

#include <algorithm>
#include <set>

#include "tilewright/improve/rewrites/loop_body.h"
#include "tilewright/improve/rewrites/sites.h"
#include "tilewright/improve/rewrites/tile_dims.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

// A load whose windows lie side by side in one dimension as `inner` runs.
struct PanelLoad {
  std::size_t dim = 0;  // of the source
  int64_t trips = 0;
};

std::optional<PanelLoad> panel_load(const Program& p, const LoopBody& inner_body, const For& inner,
                                    const Op& op, const std::set<VarId>& changing) {
  const auto w = window_op(p, op);
  const auto trips = constant_trips(inner);
  const bool load = op.kind == OpKind::Slice || op.kind == OpKind::Load;
  if (!w || !trips || !load || op.transpose || !op.valid.empty() || w->dropped > 0 ||
      !inner.start.is_constant())
    return std::nullopt;
  std::optional<PanelLoad> found;
  for (std::size_t d = 0; d < op.offset.size(); ++d) {
    const auto slope = inner_body.slope(op.offset[d]);
    if (!slope || (*slope != 0 && (found || *slope != p[w->small].shape[d]))) return std::nullopt;
    if (*slope != 0) found = PanelLoad{d, *trips};
    bool fixed = true;
    inner_body.at_zero(op.offset[d]).for_each_var([&](VarId v) {
      fixed = fixed && !changing.contains(v);
    });
    if (!fixed) return std::nullopt;
  }
  return found;
}

class PanelWriter {
 public:
  PanelWriter(Program& p, For& outer) : program_(p) {
    changing_.insert(outer.var);
    for_each_stmt(outer.body, [&](const Stmt& s) {
      if (const VarId v = scalar_defined(s); v.valid()) changing_.insert(v);
      for_each_array_use(s, [&](VarId v, bool write) {
        if (write) changing_.insert(v);
      });
    });
    for_each_stmt(outer.body, [&](Stmt& s) {
      if (For* inner = s.as<For>()) in_loop(*inner);
    });
  }

  Block loads;
  int64_t bytes = 0;

 private:
  void in_loop(For& inner) {
    const LoopBody body(program_, inner);
    for (Stmt& s : inner.body) {
      Op* op = s.as<Op>();
      if (!op || op_info(op->kind).type != TypeRule::Window || changing_.contains(op->args[0]))
        continue;
      if (const auto found = panel_load(program_, body, inner, *op, changing_))
        take_from_panel(*op, body, inner, *found);
    }
  }

  void take_from_panel(Op& op, const LoopBody& body, const For& inner, const PanelLoad& found) {
    Var panel = program_[op.dst];
    panel.name = program_.unique_name("panel");
    panel.shape[found.dim] *= found.trips;
    const VarId id = program_.add_var(panel);
    bytes += panel.bytes();
    Op load = op;
    load.dst = id;
    const int64_t slope = *body.slope(op.offset[found.dim]) / inner.step;
    for (std::size_t d = 0; d < op.offset.size(); ++d) {
      load.offset[d] = body.at_zero(op.offset[d]);
      op.offset[d] = Expr(0);
    }
    load.offset[found.dim] = load.offset[found.dim] + inner.start * Expr(slope);
    op.offset[found.dim] = (Expr::var(inner.var) - inner.start) * Expr(slope);
    op.args[0] = id;
    op.kind = OpKind::Slice;
    op.space.reset();
    loads.push_back({std::move(load)});
  }

  Program& program_;
  std::set<VarId> changing_;
};

}  // namespace

int64_t load_panels(Program& p, int number) {
  const LoopSpot spot = find_loop(p, number);
  PanelWriter writer(p, spot.loop());
  spot.block->insert(spot.block->begin() + static_cast<std::ptrdiff_t>(spot.position),
                     std::make_move_iterator(writer.loads.begin()),
                     std::make_move_iterator(writer.loads.end()));
  return writer.bytes;
}

}  // namespace tilewright::improve
