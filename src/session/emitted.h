// A program as sources for a device's toolchain.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/emit/emit.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// The rules of the runtime that emitted orchestrations are written for.
inline constexpr const char* kEmittedRules = "august-2026";

struct Emitted {
  std::unique_ptr<Session> session;
  std::vector<emit::File> files;  // none when there are errors
  Diagnostics diagnostics;
};

// `request_text`: how the user asked for the program, for the README.
Emitted emit_program(const catalog::ProgramDef& def, Request request,
                     const std::string& request_text);

}  // namespace tilewright::session
