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
  std::map<std::string, int64_t> set;  // keys that the user sets
  compile::Budget budget;              // for limits that are not given, the program's own apply
  uint64_t seed = kDefaultSeed;
  std::string rules;      // of the runtime that orders the tasks; empty = see choose_rules
  bool profiling = true;  // the runtime records every task, as in measured runs
  ExternalTimes external_us;  // of a prediction
  // Of a run on this machine.
  cpu::InstructionSet instructions = cpu::InstructionSet::exact();

  const platform::Platform& machine() const { return platform.platform; }
  // Whether time is predicted; otherwise programs run on this CPU and time is measured.
  bool simulated() const { return platform.simulated; }
  // The machine properties on which the defaults of keys may depend.
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

// The rules that the request names; else, on a machine with dated rules, the rules of the date at
// which the newest construct of the program was introduced; else the platform's own. UserError with
// the most similar name for unknown rules.
ChosenRules choose_rules(const Request& request, std::string_view dialect = {});

// The program's keys with those of the request set; UserError for unknown ones.
catalog::Config configure(const catalog::ProgramDef& def, const Request& request);

}  // namespace tilewright::session
