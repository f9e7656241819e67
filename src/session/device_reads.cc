#include "tilewright/session/device_reads.h"

#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"
#include "tilewright/session/sandbox.h"

namespace tilewright::session {
namespace {

bool is_input(const ir::Program& program, ir::VarId array) {
  const ir::Param* p = program.param_of(array);
  return p && p->direction == ir::Direction::In;
}

// Marks the places where the orchestrator reads anything but an input. Reads of views of inputs are
// marked too, although their recorded values are not needed.
void watch_reads(const ir::Program& program, const ir::Block& block, ir::TaskReads& reads) {
  for (const ir::Stmt& s : block) {
    if (s.as<ir::Scope>()) continue;
    if (const auto* read = s.as<ir::Read>(); read && !is_input(program, read->array))
      reads.watch(read->place);
    ir::for_each_body(s, [&](const ir::Block& body) { watch_reads(program, body, reads); });
  }
}

}  // namespace

void learn_task_reads(Session& session, golden::Exp exp) {
  auto reads = std::make_shared<ir::TaskReads>();
  watch_reads(session.plan()->program, session.plan()->program.body, *reads);
  if (reads->empty()) return;
  const Sandbox trial(session.program(), session.bindings());
  golden::run_program(session.program(), trial.bindings(), exp, reads.get());
  session.bindings().task_reads = std::move(reads);
}

}  // namespace tilewright::session
