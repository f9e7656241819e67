// The check of a program: compiled for a platform, unrolled with its default scalars, and searched
// for tasks that the platform's runtime would leave unordered. Nothing is computed.
#pragma once

#include <memory>
#include <optional>

#include "tilewright/session/session.h"

namespace tilewright::session {

struct CheckResult {
  std::unique_ptr<Session> session;
  std::optional<compile::HazardReport> hazards;  // absent when the program has errors
  Diagnostics diagnostics;                       // of all steps

  bool passed() const { return session->graph() && !diagnostics.has_errors(); }
};

// A race under rules that the request names is an error, under the platform's own a warning.
CheckResult check(const catalog::ProgramDef& def, const Request& request);

}  // namespace tilewright::session
