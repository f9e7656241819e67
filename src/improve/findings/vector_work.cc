// Vector work in many small steps: merges of many blocks one after the other, and ops on single
// rows.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/improve/findings/findings.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

// A tile that one iteration leaves for the next.
bool carries_a_tile(const Program& p, const For& loop) {
  std::set<VarId> written, read_first;
  for_each_op(loop.body, [&](const Op& op) {
    for (VarId v : op.args)
      if (!p[v].scalar && !written.contains(v)) read_first.insert(v);
    written.insert(op.dst);
  });
  return std::ranges::any_of(read_first, [&](VarId v) { return written.contains(v); });
}

bool has_matmul(const Block& body) {
  bool found = false;
  for_each_op(body, [&](const Op& op) { found = found || op_family(op.kind) == OpFamily::Matmul; });
  return found;
}

int64_t ops_in(const Block& body) {
  int64_t n = 0;
  for_each_op(body, [&](const Op& op) { n += op_family(op.kind) != OpFamily::Memory; });
  return n;
}

}  // namespace

void find_long_merges(const Subject& s, Findings& out) {
  constexpr double kLong = 32;
  for (const report::Stage& stage : s.profile.stages) {
    const Kernel& k = s.plan.kernel(stage.kernel);
    if (k.core != CoreKind::Vector) continue;
    for_each_stmt(k.body, [&](const Stmt& stmt) {
      const For* loop = stmt.as<For>();
      if (!loop || has_matmul(loop->body) || !carries_a_tile(s.plan.program, *loop)) return;
      const int64_t ops = ops_in(loop->body);
      if (ops < 4) return;  // a plain sum, not a merge
      // The trip count may depend on data, so it is derived from the bytes that a task loads.
      int64_t block = 0;
      for_each_op(loop->body, [&](const Op& op) {
        if (op.kind == OpKind::Load) block += s.plan.program[op.dst].bytes();
      });
      if (block == 0) return;
      const double trips =
          static_cast<double>(stage.gm_read) / static_cast<double>(stage.tasks * block);
      if (trips < kLong) return;
      out.push_back(
          estimate(s, "merge-chain",
                   fmt::format("about {:.0f} merges one after the other, {} small ops each", trips,
                               ops),
                   Where{loop->place, k.name},
                   "use longer blocks: four times the block length needs a quarter of the merges",
                   0.75 * stage.busy_us / cores_for(s, CoreKind::Vector)));
    });
  }
}

void find_single_row_ops(const Subject& s, Findings& out) {
  // Elements; below this the fixed cost of an instruction dominates.
  constexpr int64_t kSmall = 256;
  for (const report::Stage& stage : s.profile.stages) {
    const Kernel& k = s.plan.kernel(stage.kernel);
    const Op* example = nullptr;
    int64_t single = 0, all = 0;
    for_each_stmt(k.body, [&](const Stmt& stmt) {
      const For* loop = stmt.as<For>();
      if (!loop) return;
      for (const Stmt& inner : loop->body) {
        const Op* op = inner.as<Op>();
        if (!op || op_family(op->kind) != OpFamily::Elementwise) continue;
        ++all;
        const Shape& shape = s.plan.program[op->dst].shape;
        if (shape.size() != 2 || shape[0] != 1 || shape[1] < 16 || element_count(shape) > kSmall)
          continue;
        ++single;
        if (!example) example = op;
      }
    });
    if (!example || single < 4 || single * 2 < all) continue;
    const Shape& shape = s.plan.program[example->dst].shape;
    out.push_back(
        estimate(s, "single-rows",
                 fmt::format("{} ops of a loop work on single rows of {} elements", single,
                             shape[1]),
                 Where{example->place, k.name},
                 "work on 8 rows at once: a tile of [8, ...] costs little more than one row",
                 0.6 * stage.busy_us / cores_for(s, k.core)));
  }
}

}  // namespace tilewright::improve
