// How well tiles fit the machine: rows of transfers, rows of the cube, the memory of the right
// operand.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/improve/findings/findings.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

int64_t row_bytes(const Program& p, const Op& op) {
  const VarId tile = op.kind == OpKind::Load ? op.dst : op.args.front();
  return bytes_of(p[tile].dtype, p[tile].shape.back());
}

const Op* first_matmul(const Kernel& k) {
  const Op* found = nullptr;
  for_each_op(k.body, [&](const Op& op) {
    if (!found && op_family(op.kind) == OpFamily::Matmul) found = &op;
  });
  return found;
}

}  // namespace

void find_narrow_rows(const Subject& s, Findings& out) {
  // What all narrow rows cost together: the same machine with rows that cost only their bytes.
  platform::Platform wide = s.machine;
  wide.timing->gm.row_cycles = wide.timing->gm.store_row_cycles = 0;
  wide.timing->memory.hbm_run_bytes = 0;
  const double saved_by_all = s.total_us() - s.time_on(wide);
  int64_t narrow = 0;
  std::vector<int64_t> by_stage;
  const auto narrow_rows = [&](const report::Figures& f) {
    int64_t rows = 0;
    for (std::size_t i = 0; i < kTransferBins; ++i)
      if ((int64_t{1} << i) < s.machine.dma_row_bytes) rows += f.transfers[i];
    return rows;
  };
  for (const report::Stage& stage : s.profile.stages) {
    by_stage.push_back(narrow_rows(stage));
    narrow += by_stage.back();
  }
  for (std::size_t i = 0; i < by_stage.size(); ++i) {
    const report::Stage& stage = s.profile.stages[i];
    const Kernel& k = s.plan.kernel(stage.kernel);
    int64_t all = 0;
    for (int64_t rows : stage.transfers) all += rows;
    if (by_stage[i] * 2 < all || by_stage[i] < 100) continue;
    const Op* narrowest = nullptr;
    for_each_op(k.body, [&](const Op& op) {
      if (op.kind != OpKind::Load && op.kind != OpKind::Store) return;
      if (!narrowest || row_bytes(s.plan.program, op) < row_bytes(s.plan.program, *narrowest))
        narrowest = &op;
    });
    if (!narrowest) continue;
    const double share =
        static_cast<double>(by_stage[i]) / static_cast<double>(std::max<int64_t>(1, narrow));
    out.push_back(
        estimate(s, "small-dma",
                 fmt::format("{} of {} rows moved are shorter than {} B; here {} B", by_stage[i],
                             all, s.machine.dma_row_bytes, row_bytes(s.plan.program, *narrowest)),
                 Where{narrowest->place, k.name},
                 "take more columns at once, or gather rows into one tile first",
                 std::max(0.0, saved_by_all * share)));
  }
}

void find_padded_rows(const Subject& s, Findings& out) {
  for (const report::Stage& stage : s.profile.stages) {
    if (stage.mac_rows == 0 || stage.mac_rows_used * 4 > stage.mac_rows * 3) continue;
    const Kernel& k = s.plan.kernel(stage.kernel);
    int64_t cube_ps = 0;
    for (const TaskRecord& t : s.record.tasks)
      if (const KernelProfile& p = s.record.profiles[t.profile]; p.kernel == stage.kernel)
        cube_ps +=
            p.busy[static_cast<std::size_t>(CoreSide::Cube)][static_cast<std::size_t>(Pipe::Cube)];
    const double used =
        static_cast<double>(stage.mac_rows_used) / static_cast<double>(stage.mac_rows);
    const Op* matmul = first_matmul(k);
    out.push_back(
        estimate(s, "padded-rows",
                 fmt::format("{:.0f} % of the rows through the cube hold data ({} of {})",
                             100 * used, stage.mac_rows_used, stage.mac_rows),
                 Where{matmul ? matmul->place : k.place, k.name},
                 "fill the rows with more heads or batch rows that share the right operand",
                 (1 - used) * static_cast<double>(cube_ps) / 1e6 / cores_for(s, CoreKind::Cube)));
  }
}

void find_idle_right_memory(const Subject& s, Findings& out) {
  const platform::Memory* right = s.machine.memory(MemorySpace::Right);
  if (!right || !right->physical) return;
  for (const report::Stage& stage : s.profile.stages) {
    const Kernel& k = s.plan.kernel(stage.kernel);
    int64_t largest = 0;
    const TileBuffer* tile = nullptr;
    for (const TileBuffer& b : k.memory)
      if (b.space == MemorySpace::Right && b.bytes > largest) {
        largest = b.bytes;
        tile = &b;
      }
    if (!tile || largest * 2 > *right->physical) continue;
    // Larger tiles mean fewer loads; each load costs an issue and, unless pipelined, a latency.
    const double loads = static_cast<double>(stage.gm_read) / static_cast<double>(largest);
    const double per_load =
        (s.machine.timing->gm.l1_issue_ns + s.machine.timing->gm.l1_latency_ns) / 1000;
    const double saved =
        loads * per_load *
        (1 - static_cast<double>(largest) / static_cast<double>(*right->physical)) /
        cores_for(s, CoreKind::Cube);
    out.push_back(estimate(s, "l0b-underuse",
                           fmt::format("the right operand uses {} of {}", human_bytes(largest),
                                       human_bytes(*right->physical)),
                           Where{s.plan.program[tile->var].place, k.name},
                           fmt::format("a tile of {} times the size: fewer and longer loads",
                                       *right->physical / largest),
                           saved));
  }
}

}  // namespace tilewright::improve
