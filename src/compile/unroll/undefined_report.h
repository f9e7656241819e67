// What has become of undefined elements when all tasks are unrolled: they are in an output, which
// is an error, or nothing depends on them, which is a note.
#pragma once

#include <span>

#include "tilewright/compile/unroll/buffers.h"
#include "tilewright/compile/unroll/findings.h"

namespace tilewright::compile {

// An array parameter at the end of the program.
struct Parameter {
  ir::VarId var;
  std::shared_ptr<BufferState> state;
  ir::Rect due;  // what is to be defined of it
};

void report_undefined(const ir::Program& program, std::span<const Parameter> parameters,
                      Causes& causes, Findings& findings);

}  // namespace tilewright::compile
