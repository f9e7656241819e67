// Loops of a kernel that wait for their loads in every iteration. A pipeline prefetches the tiles
// of the next iterations, which takes more memory.
#include <fmt/format.h>

#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/rewrites/sites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

struct LoopWork {
  bool loads = false, computes = false, loops = false, leaves = false;
};

LoopWork work_of(const Block& body) {
  LoopWork out;
  for_each_stmt(body, [&](const Stmt& s) {
    if (const Op* op = s.as<Op>()) {
      out.loads = out.loads || op_info(op->kind).type == TypeRule::Window;
      out.computes = out.computes || op_family(op->kind) != OpFamily::Memory;
    }
    out.loops = out.loops || s.as<For>() || s.as<While>();
    out.leaves = out.leaves || s.as<Break>() || s.as<Continue>() || s.as<Signal>();
  });
  return out;
}

bool can_pipeline(const LoopSite& site) {
  const For& loop = *site.loop;
  const bool pipelined = loop.kind == LoopKind::Pipeline;
  if (!site.in_task || loop.chunk > 0) return false;
  if (loop.kind != LoopKind::Range && loop.kind != LoopKind::Parallel && !pipelined) return false;
  if (const auto trips = constant_trips(loop); trips && *trips < 2) return false;
  const LoopWork work = work_of(loop.body);
  return work.loads && work.computes && !work.loops && !work.leaves;
}

Program pipelined(const Program& p, int number, int stages) {
  Program out = p;
  For& loop = find_loop(out, number).loop();
  loop.kind = LoopKind::Pipeline;
  loop.stages = stages;
  return out;
}

}  // namespace

void pipeline_loops(const Subject& s, Rewrites& out) {
  for (const LoopSite& site : loop_sites(s.program)) {
    if (!can_pipeline(site)) continue;
    const int now = site.loop->kind == LoopKind::Pipeline ? site.loop->stages : 1;
    for (const int stages : {2, 4}) {
      if (stages <= now) continue;
      out.push_back({"pipeline",
                     now == 1 ? fmt::format("{} waits for its loads in every iteration",
                                            s.program[site.loop->var].written_name())
                              : fmt::format("{} loads for {} iterations at a time",
                                            s.program[site.loop->var].written_name(), now),
                     site.where(), fmt::format("use a pipeline of {} stages", stages),
                     pipelined(s.program, site.number, stages)});
    }
  }
}

}  // namespace tilewright::improve
