// What the decorator of a function says about it.
#pragma once

#include "tilewright/frontend/parse/ast.h"

namespace tilewright::frontend {

enum class FunctionKind : uint8_t {
  Orchestration,  // opaque, orchestration, inline, jit: code of the orchestrator, expanded where
                  // called
  InCore,         // the body is one scope; each call is one task
  Host,           // a step of the host
  External,       // only its signature is known
};

FunctionKind function_kind(const Stmt& function);

// Refuses host steps and functions without a body, which cannot be executed from the text.
void require_readable(const Stmt& function, const Source& source);

}  // namespace tilewright::frontend
