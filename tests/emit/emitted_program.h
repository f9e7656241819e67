// Emitted sources, compiled by the compiler of the tests against our shim (shim/) and run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "temporary_directory.h"
#include "tilewright/emit/emit.h"
#include "tilewright/session/session.h"

namespace emit_test {

using namespace tilewright;

// With the directories above it.
void write_file(const std::string& path, const std::string& text);

class EmittedProgram {
 public:
  // Throws with the compiler's words if the sources do not compile without warnings.
  explicit EmittedProgram(const std::vector<emit::File>& files);
  ~EmittedProgram();
  EmittedProgram(const EmittedProgram&) = delete;
  EmittedProgram& operator=(const EmittedProgram&) = delete;

  // Runs on the arrays that are bound; pipes take turns as `seed` says. What went wrong, or
  // nothing.
  std::string run(session::Session& s, uint64_t seed);

 private:
  TemporaryDirectory directory_;
  void* library_ = nullptr;
};

// Emits the program, runs it with several seeds, and expects the bits of the reference interpreter.
void expect_emitted_is_golden(const catalog::ProgramDef& def, const session::Request& request);

}  // namespace emit_test
