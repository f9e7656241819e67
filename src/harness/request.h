// What the user asked for, apart from the program itself, and the program built for it. Shared by
// everything that starts from a ProgramDef: run, check, show.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/compile/compile.h"
#include "tilewright/platform/platform.h"

namespace tilewright::harness {

inline constexpr uint64_t kDefaultSeed = 1;

struct Request {
  std::string shape;                  // empty = the program's first
  std::string platform_name = "cpu";  // as the user named it, for reports
  platform::Selected platform;
  std::map<std::string, int64_t> set;  // keys away from their defaults
  compile::Budget budget;
  uint64_t seed = kDefaultSeed;
};

// A Request for a platform as -p names it: cpu, a2a3sim, a5sim or a JSON file.
Request request_for(const std::string& platform);

// Runtime rules by name; UserError with the nearest name for an unknown one.
platform::RuntimeRules rules_named(const std::string& name);

// The program's keys with those of the request set; UserError for unknown ones.
catalog::Config configure(const catalog::ProgramDef& def, const Request& request);

// The operand budget of the request; what it leaves open, the program's own promise decides.
compile::Budget budget_of(const catalog::ProgramDef& def, const Request& request);

// Runs the builder, then checks that the ProgramDef speaks only of parameters the program has.
ir::Program build(const catalog::ProgramDef& def, const catalog::Config& config);

}  // namespace tilewright::harness
