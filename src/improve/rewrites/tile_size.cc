// Tiles that are small for the memory they live in: every load has a latency, every row of a
// transfer and every instruction a fixed cost. A loop can take the tiles of several iterations at
// once.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/rewrites/widen.h"
#include "tilewright/ir/walk.h"
#include "tilewright/platform/platform.h"

namespace tilewright::improve {
namespace {

using namespace ir;

// Tiles that vector ops compute, or compute with, live in Vec.
bool in_vector_memory(const Program& p, VarId v) {
  bool found = false;
  for_each_op(p.body, [&](const Op& op) {
    const OpFamily family = op_family(op.kind);
    if (family == OpFamily::Memory || family == OpFamily::Matmul) return;
    found = found || op.dst == v || std::ranges::find(op.args, v) != op.args.end();
  });
  return found;
}

// Whether one of the tiles does not fit into any memory of a core.
bool too_large(const Subject& s, const Program& changed, const Widening& w) {
  int64_t largest = 0;
  for (const platform::Memory& m : s.machine.memories)
    largest = std::max(largest, m.physical.value_or(INT64_MAX));
  const platform::Memory* vec = s.machine.memory(MemorySpace::Vec);
  return std::ranges::any_of(w.growth, [&](const auto& g) {
    const int64_t bytes = changed[g.first].bytes();
    return bytes > largest ||
           (vec && vec->physical && bytes > *vec->physical && in_vector_memory(changed, g.first));
  });
}

struct Moved {
  int64_t bytes = 0;        // loaded in one iteration
  int64_t row = INT64_MAX;  // bytes of the shortest row
};

Moved moved_by(const Program& p, const For& loop, const Growth& growth) {
  Moved out;
  for_each_op(loop.body, [&](const Op& op) {
    const TypeRule rule = op_info(op.kind).type;
    if (rule != TypeRule::Window && rule != TypeRule::Insert) return;
    const Var& tile = p[rule == TypeRule::Window ? op.dst : op.args.front()];
    if (!growth.contains(rule == TypeRule::Window ? op.dst : op.args.front())) return;
    out.bytes += tile.bytes();
    out.row = std::min(out.row, bytes_of(tile.dtype, tile.shape.back()));
  });
  return out;
}

// A product whose left operand gets more rows, and has less than the cube takes at once.
const Op* padded_product(const Subject& s, const Growth& growth) {
  const Op* found = nullptr;
  for_each_op(s.program.body, [&](const Op& op) {
    if (op.kind != OpKind::Matmul && op.kind != OpKind::MatmulAcc) return;
    const Shape& left = s.program[op.args[0]].shape;
    const std::size_t rows = left.size() - (op.a_trans ? 1 : 2);
    const auto it = growth.find(op.args[0]);
    if (it != growth.end() && it->second == rows && left[rows] < s.machine.fractal_rows)
      found = &op;
  });
  return found;
}

// 2, 4, 8, 16, and for odd numbers of iterations 3 and 5.
std::vector<int64_t> factors_of(int64_t trips) {
  std::vector<int64_t> out;
  for (int64_t f : {2, 4, 8, 16})
    if (trips % f == 0) out.push_back(f);
  for (int64_t f : {3, 5})
    if (out.size() < 2 && trips > 0 && trips % f == 0) out.push_back(f);
  return out;
}

}  // namespace

void grow_tiles(const Subject& s, Rewrites& out) {
  for (const LoopSite& site : loop_sites(s.program)) {
    const auto found = find_widening(s.program, site);
    if (!found) continue;
    const Moved moved = moved_by(s.program, *site.loop, found->growth);
    const Op* padded = padded_product(s, found->growth);
    for (const int64_t factor : factors_of(found->trips)) {
      auto changed = widened(s.program, site, *found, factor);
      if (!changed || too_large(s, *changed, *found)) break;
      out.push_back(
          {padded ? "padded-rows" : "tile-size",
           fmt::format("{} of {} moves {}, in rows of {} B and more",
                       found->trips ? fmt::format("each of {} iterations", found->trips)
                                    : "each iteration",
                       s.program[site.loop->var].written_name(), human_bytes(moved.bytes), moved.row),
           padded ? Where{padded->place, site.scope_name} : site.where(),
           found->trips ? fmt::format("tiles {} times as large: {}", factor,
                                      counted(found->trips / factor, "iteration"))
                        : fmt::format("tiles {} times as large", factor),
           std::move(*changed)});
    }
  }
}

}  // namespace tilewright::improve
