#include "tilewright/improve/findings/look.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/ir/walk.h"

namespace tilewright::improve {

std::string Where::text() const {
  std::string out = place.known() ? fmt::format("at {}", place.text()) : "";
  if (!scope.empty()) out += fmt::format("{}scope \"{}\"", out.empty() ? "" : ", ", scope);
  return out;
}

const report::Stage* stage_of(const Subject& s, ir::KernelId k) {
  for (const report::Stage& stage : s.profile.stages)
    if (stage.kernel == k) return &stage;
  return nullptr;
}

double handover_us(const platform::Platform& machine) {
  const platform::RuntimeCosts& r = *machine.runtime;
  return (r.dispatch_ns + r.start_ns + r.finish_seen_ns + r.complete_ns + r.complete_edge_ns +
          r.profile_core_ns + r.profile_scheduler_ns + r.poll_ns + r.idle_loop_ns) /
         1000;
}

double stage_cost_us(const Subject& s, int64_t tasks) {
  const platform::RuntimeCosts& r = *s.machine.runtime;
  // The orchestrator hides behind running tasks unless it is what everybody waits for.
  const bool bound = s.profile.orchestrator_us > 0.8 * s.total_us();
  const double submitting = bound ? static_cast<double>(tasks) * r.submit_ns / 1000 : 0;
  const double busy = static_cast<double>(tasks) * (r.dispatch_ns + r.complete_ns) / 1000 /
                      std::max(1, r.scheduler_threads);
  return handover_us(s.machine) + std::max(submitting, busy);
}

double move_us(const Subject& s, int64_t bytes) {
  return static_cast<double>(bytes) / (s.machine.timing->memory.hbm_gb_per_s * 1e3);
}

Finding estimate(const Subject& s, std::string code, std::string what, Where where,
                 std::string change, double saved_us) {
  const double now = s.total_us();
  return {std::move(code), std::move(what), std::move(where), std::move(change), now,
          std::max(s.profile.all.roofline_us, now - saved_us), true, nullptr};
}

int cores_for(const Subject& s, ir::CoreKind kind) {
  return std::max(1, kind == ir::CoreKind::Vector ? s.machine.vector_cores : s.machine.cube_cores);
}

namespace {

void walk(ir::Block& block, std::vector<ir::Stmt*>& around,
          const std::function<void(ir::Stmt&, const std::vector<ir::Stmt*>&)>& visit) {
  for (ir::Stmt& s : block) {
    visit(s, around);
    around.push_back(&s);
    ir::for_each_body(s, [&](ir::Block& body) { walk(body, around, visit); });
    around.pop_back();
  }
}

}  // namespace

void for_each_inside(ir::Block& block,
                     const std::function<void(ir::Stmt&, const std::vector<ir::Stmt*>&)>& visit) {
  std::vector<ir::Stmt*> around;
  walk(block, around, visit);
}

}  // namespace tilewright::improve
