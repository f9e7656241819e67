// A Plan as sources for the device's own toolchain: one C++ file per kernel against the public
// PTO-ISA headers, one orchestration file for the runtime `simpler`, a name map, a driver and a
// README (docs/emit.md). The lowered kernels decide everything; nothing is decided here again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/submit_role.h"

namespace tilewright::emit {

// The revisions of the public interfaces that emitted text is written against.
inline constexpr const char* kPtoIsaRevision = "cd4a3d3f7a1a27fcfe536f617e9bca3008929664";
inline constexpr const char* kSimplerRevision = "93adc3865e65fd72655f571f2e4165cf5ac02616";
inline constexpr const char* kRevisionMonth = "August 2026";

struct Tolerance {
  double rtol = 0, atol = 0;
};

struct Options {
  std::string request;  // program, shape and keys as flags of tilewright
  ir::SubmitRoles roles;
  std::map<std::string, Tolerance> tolerances;  // by output
};

struct File {
  std::string path;  // relative, with forward slashes
  std::string text;
};

struct Emission {
  std::vector<File> files;  // none when something is refused
  Diagnostics refusals;
};

Emission emit(const ir::Plan& plan, const Options& options);

}  // namespace tilewright::emit
