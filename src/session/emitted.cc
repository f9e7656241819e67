#include "tilewright/session/emitted.h"

#include <fmt/format.h>

#include "tilewright/compile/compile.h"
#include "tilewright/compile/unroll/submit_role.h"
#include "tilewright/session/check.h"

namespace tilewright::session {
namespace {

std::map<std::string, emit::Tolerance> tolerances(const catalog::ProgramDef& def,
                                                  const ir::Program& program) {
  std::map<std::string, emit::Tolerance> out;
  for (const ir::Param& p : program.params) {
    if (p.direction == ir::Direction::In) continue;
    const std::string& name = program[p.var].name;
    const catalog::Tolerance t = def.tolerance(name);
    out[name] = {t.rtol, t.atol};
  }
  return out;
}

}  // namespace

Emitted emit_program(const catalog::ProgramDef& def, Request request,
                     const std::string& request_text) {
  Emitted out;
  request.rules = kEmittedRules;
  out.session = std::make_unique<Session>(def, std::move(request));
  Session& s = *out.session;
  if (!s.prepare()) {
    out.diagnostics.append(s.diagnostics());
    return out;
  }
  const compile::HazardReport hazards = s.hazards();
  out.diagnostics.append(hazards.diagnostics);
  emit::Options options;
  options.request = request_text;
  options.roles = compile::submit_roles(*s.plan(), s.rules());
  options.tolerances = tolerances(def, s.program());
  emit::Emission emission = emit::emit(*s.plan(), options);
  out.diagnostics.append(emission.refusals);
  if (!out.diagnostics.has_errors()) out.files = std::move(emission.files);
  return out;
}

}  // namespace tilewright::session
