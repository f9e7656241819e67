#include "tilewright/session/check.h"

namespace tilewright::session {

CheckResult check(const catalog::ProgramDef& def, const Request& request) {
  CheckResult result;
  result.session = std::make_unique<Session>(def, request);
  const bool ready = result.session->prepare();
  result.diagnostics = result.session->diagnostics();
  if (!ready) return result;
  result.hazards = result.session->hazards();
  // Under the platform's default rules a race is a warning: the program is correct with exact
  // dependences. A user who names rules asks for that runtime, so a race is an error.
  for (Diagnostic d : result.hazards->diagnostics.list()) {
    if (request.rules.empty() && d.severity == Severity::Error) d.severity = Severity::Warning;
    result.diagnostics.add(std::move(d));
  }
  return result;
}

}  // namespace tilewright::session
