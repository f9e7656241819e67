// What the user asked for, apart from the program itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tilewright/catalog/catalog.h"
#include "tilewright/compile/compile.h"
#include "tilewright/cpu/instruction_set.h"
#include "tilewright/platform/platform.h"
#include "tilewright/session/externals.h"

namespace tilewright::session {

inline constexpr uint64_t kDefaultSeed = 1;

struct Request {
  std::string shape;                  // empty = the program's first
  std::string platform_name = "cpu";  // as the user named it, for reports
  platform::Selected platform;
  std::map<std::string, int64_t> set;  // keys away from their defaults
  compile::Budget budget;              // what it leaves open, the program's own promise decides
  uint64_t seed = kDefaultSeed;
  std::string rules;      // of the runtime that orders the tasks; empty = see choose_rules
  bool profiling = true;  // that runtime records every task, as measured runs do
  ExternalTimes external_us;  // of a prediction
  // Of a run on this machine.
  cpu::InstructionSet instructions = cpu::InstructionSet::exact();

  const platform::Platform& machine() const { return platform.platform; }
  // Whether time on the platform is predicted; else programs run here, and time is measured.
  bool simulated() const { return platform.simulated; }
  // What the defaults of a program's keys may depend on.
  catalog::Machine catalog_machine() const;
};

// A Request for a platform as -p names it: cpu, a2a3sim, a5sim or a JSON file.
Request request_for(const std::string& platform);

// The rules of the runtime that orders the tasks, and what chose them.
struct ChosenRules {
  platform::RuntimeRules rules;
  std::string by;  // "--rules", "the file's dialect", "the platform"

  std::string text() const { return rules.name + ", chosen by " + by; }
};

// Those that the request names; else those of the day on which the program's newest word came into
// use, on a machine whose runtime has dated rules; else the platform's own. UserError with the
// nearest name for unknown ones.
ChosenRules choose_rules(const Request& request, std::string_view dialect = {});

// The program's keys with those of the request set; UserError for unknown ones.
catalog::Config configure(const catalog::ProgramDef& def, const Request& request);

}  // namespace tilewright::session
