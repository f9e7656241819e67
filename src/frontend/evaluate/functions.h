// What the decorator of a function says about it.
#pragma once

#include "tilewright/frontend/parse/ast.h"

namespace tilewright::frontend {

enum class FunctionKind : uint8_t {
  Orchestration,  // opaque, orchestration, inline, jit: code of the orchestrator, expanded where
                  // called
  InCore,         // the body is one scope; each call is one task
  Host,           // a step of the host
  External,       // a kernel that is declared here and written elsewhere
  Empty,          // declared without saying where its body is
};

FunctionKind function_kind(const Stmt& function);

// The function that a program starts with: the program itself if it is one, of a class its last
// orchestration, else its last kernel. Null when a class has neither.
const Stmt* entry_function(const Stmt& program);

// Whether a function of this name makes the inputs of a program; their sizes follow the user's.
bool makes_inputs(std::string_view name);

// Refuses programs, host steps and functions that say nothing, which a program cannot call.
void require_readable(const Stmt& function, const Source& source);

}  // namespace tilewright::frontend
