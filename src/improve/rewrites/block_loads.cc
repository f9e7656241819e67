// A loop that loads adjacent blocks one by one. Every transfer has a fixed cost, so loading several
// blocks at once and slicing them on chip is faster. Every iteration computes the same as before.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/block_windows.h"
#include "tilewright/improve/rewrites/join_stages.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

constexpr int64_t kLargestLoad = 256 * 1024;  // bytes; the checker knows the machine's limits
constexpr int64_t kMostBlocks = 8;

// The load of `count` blocks that begin with block `first`.
Op wide_load(Program& p, const For& loop, const Op& load, std::size_t along, int64_t count,
             const Expr& first) {
  Var tile = p[load.dst];
  const int64_t extent = tile.shape[along];
  tile.shape[along] *= count;
  tile.name = p.unique_name(tile.name + "_blocks");
  Op wide = load;
  wide.dst = p.add_var(tile);
  const auto at_first = [&](VarId v) -> std::optional<Expr> {
    return v == loop.var ? std::optional(first) : std::nullopt;
  };
  for (Expr& e : wide.offset) e = e.substituted(at_first);
  if (!wide.valid.empty()) {
    const auto left = rows_left(wide.valid[along], extent, loop.var);
    wide.valid[along] =
        left ? min(Expr(count * extent), left->substituted(at_first)) : Expr(count * extent);
  }
  return wide;
}

// for v: B  ->  for w: load `count` blocks; for v in the blocks of w: B
void load_together(Program& p, For& loop, const std::vector<BlockLoad>& loads, int64_t count,
                   bool pipelined) {
  Var counter = p[loop.var];
  counter.name = p.unique_name(counter.name + "_blocks");
  For outer = loop;
  outer.body.clear();
  if (pipelined) outer.kind = LoopKind::Pipeline;
  if (pipelined) outer.stages = 2;
  outer.var = p.add_var(counter);
  const Expr first = loop.start + Expr::var(outer.var) * Expr(count);
  outer.start = 0;
  outer.stop = floor_div(loop.stop - loop.start + Expr(count - 1), Expr(count));
  for (const BlockLoad& load : loads) {
    Op& op = *loop.body[load.at].as<Op>();
    const Op wide = wide_load(p, loop, op, load.along, count, first);
    outer.body.push_back({wide});
    const int64_t extent = p[op.dst].shape[load.along];
    op.kind = OpKind::Slice;
    op.args[0] = wide.dst;
    for (std::size_t d = 0; d < op.offset.size(); ++d)
      op.offset[d] = d == load.along ? (Expr::var(loop.var) - first) * Expr(extent) : Expr(0);
  }
  For inner = loop;
  inner.kind = LoopKind::Range;
  inner.stages = 1;
  inner.start = first;
  inner.stop = first + Expr(count);
  const Expr trips = loop.stop - loop.start;
  if (!trips.is_constant() || trips.constant() % count != 0)
    inner.stop = min(inner.stop, loop.stop);
  outer.body.push_back({std::move(inner)});
  loop = std::move(outer);
}

For* nth_loop(Scope& scope, std::size_t n) {
  For* found = nullptr;
  for_each_stmt(scope.body, [&](Stmt& s) {
    if (For* loop = s.as<For>(); loop && n-- == 0) found = loop;
  });
  return found;
}

// Useful counts are powers of two that divide the trip count, or any power of two when data decides
// it; for odd trip counts, other divisors.
bool is_useful(const Program& p, const For& loop, const std::vector<BlockLoad>& loads,
               int64_t count) {
  const Expr trips = loop.stop - loop.start;
  const bool power = (count & (count - 1)) == 0;
  if (!trips.is_constant() && !power) return false;
  if (trips.is_constant() && (trips.constant() % count != 0 || trips.constant() <= count ||
                              (!power && trips.constant() % 2 == 0)))
    return false;
  return std::ranges::all_of(loads, [&](const BlockLoad& load) {
    return p[loop.body[load.at].as<Op>()->dst].bytes() * count <= kLargestLoad;
  });
}

// Whether the stage takes more of the time than the error of a prediction.
bool takes_time(const Subject& s, const StageScope& kernel) {
  constexpr double kShare = 0.005;
  return std::ranges::any_of(s.profile.stages, [&](const report::Stage& stage) {
    const double busy = static_cast<double>(stage.tasks) * stage.exec_us;
    return stage.name == kernel.name &&
           busy > kShare * s.total_us() *
                      std::min<double>(static_cast<double>(stage.tasks), cores_for(s, stage.core));
  });
}

}  // namespace

void load_blocks_together(const Subject& s, Rewrites& out) {
  std::vector<const Scope*> scopes;
  for_each_stmt(s.program.body, [&](const Stmt& stmt) {
    if (const Scope* scope = stmt.as<Scope>()) scopes.push_back(scope);
  });
  for (std::size_t n = 0; n < scopes.size(); ++n) {
    Scope copy = *scopes[n];
    const StageScope kernel = as_kernel(s, {scopes[n]->name, scopes[n]->place});
    if (!takes_time(s, kernel)) continue;
    for (std::size_t m = 0; const For* loop = nth_loop(copy, m); ++m) {
      const auto loads = block_loads(s.program, copy, *loop);
      for (int64_t count = 2; count <= kMostBlocks; ++count) {
        if (loads.empty() || !is_useful(s.program, *loop, loads, count)) continue;
        for (bool pipelined : {false, true}) {
          if (pipelined && loop->kind == LoopKind::Pipeline) continue;
          Program changed = s.program;
          std::size_t i = 0;
          for_each_stmt(changed.body, [&](Stmt& stmt) {
            Scope* scope = stmt.as<Scope>();
            if (scope && i++ == n)
              load_together(changed, *nth_loop(*scope, m), loads, count, pipelined);
          });
          out.push_back({"block-loads",
                         fmt::format("{} loads adjacent blocks one by one", kernel.name),
                         Where{kernel.place, kernel.name},
                         fmt::format("load {} blocks at once and slice them on chip{}", count,
                                     pipelined ? ", and prefetch the next" : ""),
                         std::move(changed)});
        }
      }
    }
  }
}

}  // namespace tilewright::improve
