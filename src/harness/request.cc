#include "tilewright/harness/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::harness {
namespace {

using Accepts = std::function<bool(const ir::Param&, const ir::Var&)>;

bool is_input(const ir::Param& p, const ir::Var& v) {
  return !v.scalar && p.direction != ir::Direction::Out;
}
bool is_output(const ir::Param& p, const ir::Var& v) {
  return !v.scalar && p.direction != ir::Direction::In;
}
bool is_read_only(const ir::Param& p, const ir::Var& v) {
  return !v.scalar && p.direction == ir::Direction::In;
}
bool is_scalar(const ir::Param&, const ir::Var& v) { return v.scalar; }

// A name that no parameter has would otherwise be ignored, and the default used silently.
template <class Map>
void require_parameters(const Map& entries, const ir::Program& program, const char* what,
                        const char* kind, const Accepts& accepts) {
  std::vector<std::string> names;
  for (const ir::Param& p : program.params)
    if (accepts(p, program[p.var])) names.push_back(program[p.var].name);
  for (const auto& entry : entries) {
    const std::string& name = entry.first;
    if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
    user_error("definition",
               fmt::format("{} for {}, which is not {} of the program{}", what, quoted(name), kind,
                           did_you_mean(name, names)),
               fmt::format("in the definition of program {}", program.name),
               "a definition speaks only of parameters that the program has",
               fmt::format("there is: {}", names.empty() ? "none" : join(names, ", ")));
  }
}

}  // namespace

Request request_for(const std::string& platform) {
  Request request;
  request.platform = platform::select_platform(platform);
  // A file's platform is known by the name written in it, not by where the file lies.
  request.platform_name = platform.ends_with(".json") ? request.platform.platform.name : platform;
  return request;
}

platform::RuntimeRules rules_named(const std::string& name) {
  if (const auto* rules = platform::find_runtime_rules(name)) return *rules;
  std::vector<std::string> names;
  for (const platform::RuntimeRules& r : platform::runtime_rules()) names.push_back(r.name);
  user_error("rules",
             fmt::format("unknown runtime rules {}{}", quoted(name), did_you_mean(name, names)),
             fmt::format("in --rules {}", name),
             "a runtime's rules say which tasks it orders, and are known by name",
             fmt::format("the rules are: {}", join(names, ", ")));
}

catalog::Config configure(const catalog::ProgramDef& def, const Request& request) {
  catalog::Config config = catalog::configure(def, request.shape, request.platform.platform.name);
  for (const auto& [key, value] : request.set) config.set(key, value);
  return config;
}

compile::Budget budget_of(const catalog::ProgramDef& def, const Request& request) {
  compile::Budget budget = request.budget;
  if (!budget.vector && def.vector_budget) budget.vector = def.vector_budget;
  if (!budget.cube && def.cube_budget) budget.cube = def.cube_budget;
  return budget;
}

ir::Program build(const catalog::ProgramDef& def, const catalog::Config& config) {
  ir::Program program = def.build(config);
  if (def.inputs)
    require_parameters(def.inputs(config), program, "initial values", "an input", is_input);
  if (def.scalars)
    require_parameters(def.scalars(config), program, "a value", "a scalar parameter", is_scalar);
  require_parameters(def.tolerances, program, "a tolerance", "an output", is_output);
  require_parameters(def.added_to, program, "an added-to input", "an output", is_output);
  std::map<std::string, std::string> bases;
  for (const auto& [output, input] : def.added_to) bases[input] = output;
  require_parameters(bases, program, "added_to", "a read-only input", is_read_only);
  return program;
}

}  // namespace tilewright::harness
