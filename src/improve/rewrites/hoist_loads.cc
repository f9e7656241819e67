// Loads that a loop of a task repeats in every iteration: of a window that does not move with the
// loop, or, in inner loops, of the same row of windows every time.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/improve/rewrites/left_panels.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/rewrites/sites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

struct Hoisted {
  int64_t loads = 0, bytes = 0;
};

class LoadHoist {
 public:
  explicit LoadHoist(Program& p) : program_(p) {
    for_each_op(p.body, [&](const Op& op) { ++writers_[op.dst]; });
  }

  // Hoists every load that can leave the loop at `position` or the loops inside it.
  Hoisted leave(Block& block, std::size_t& position) {
    For& loop = *block[position].as<For>();
    for (std::size_t i = 0; i < loop.body.size(); ++i)
      if (loop.body[i].as<For>()) leave(loop.body, i);
    std::set<VarId> changing{loop.var};
    for_each_stmt(loop.body, [&](const Stmt& s) {
      if (const VarId v = scalar_defined(s); v.valid()) changing.insert(v);
      for_each_array_use(s, [&](VarId v, bool write) {
        if (write) changing.insert(v);
      });
    });
    Hoisted out;
    Block stay, go;
    for (Stmt& s : loop.body) {
      const Op* op = s.as<Op>();
      if (!op || !may_leave(s, *op, changing)) {
        stay.push_back(std::move(s));
        continue;
      }
      changing.erase(op->dst);
      if (op_info(op->kind).type == TypeRule::Window) {
        ++out.loads;
        out.bytes += program_[op->dst].bytes();
      }
      go.push_back(std::move(s));
    }
    loop.body = std::move(stay);
    const std::size_t count = go.size();
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(position),
                 std::make_move_iterator(go.begin()), std::make_move_iterator(go.end()));
    position += count;
    return out;
  }

 private:
  bool may_leave(const Stmt& s, const Op& op, const std::set<VarId>& changing) const {
    const TypeRule rule = op_info(op.kind).type;
    const OpFamily family = op_family(op.kind);
    const bool loads = rule == TypeRule::Window;
    const bool computes = rule == TypeRule::AsOperand || family == OpFamily::Layout ||
                          family == OpFamily::Elementwise;
    if ((!loads && !computes) || writers_.at(op.dst) != 1) return false;
    bool fixed = true;
    for_each_scalar_use(s, [&](VarId v) { fixed = fixed && !changing.contains(v); });
    for (VarId v : op.args) fixed = fixed && !changing.contains(v);
    return fixed;
  }

  Program& program_;
  std::map<VarId, int> writers_;
};

// Not inside another loop of the same task.
bool is_outermost(const LoopSite& site, const std::vector<LoopSite>& all) {
  return std::ranges::none_of(all, [&](const LoopSite& other) {
    if (!other.in_task || other.loop == site.loop || other.loop->chunk > 0) return false;
    bool inside = false;
    for_each_stmt(other.loop->body,
                  [&](const Stmt& s) { inside = inside || s.as<For>() == site.loop; });
    return inside;
  });
}

}  // namespace

void hoist_loads(const Subject& s, Rewrites& out) {
  const auto sites = loop_sites(s.program);
  for (const LoopSite& site : sites) {
    if (!site.in_task || site.loop->chunk > 0 || !is_outermost(site, sites)) continue;
    Program changed = s.program;
    const auto propose = [&](Program&& p, const std::string& what, const char* change) {
      out.push_back({"invariant-load", what, site.where(), change, std::move(p)});
    };
    LoopSpot spot = find_loop(changed, site.number);
    const std::string& name = s.program[site.loop->var].written_name();
    if (const Hoisted h = LoadHoist(changed).leave(*spot.block, spot.position); h.loads > 0)
      propose(std::move(changed),
              fmt::format("every iteration of {} loads {} of {} again", name,
                          counted(h.loads, "tile"), human_bytes(h.bytes)),
              "load before the loop");
    Program panels = s.program;
    if (const int64_t bytes = load_panels(panels, site.number); bytes > 0) {
      LoopSpot again = find_loop(panels, site.number);
      LoadHoist(panels).leave(*again.block, again.position);
      propose(std::move(panels),
              fmt::format("every iteration of {} loads the same {} again, tile by tile", name,
                          human_bytes(bytes)),
              "load the whole block before the loop, and slice tiles from it");
    }
  }
}

}  // namespace tilewright::improve
