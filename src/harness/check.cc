#include "tilewright/harness/check.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/harness/inputs.h"

namespace tilewright::harness {
namespace {

platform::RuntimeRules find_rules(const std::string& name) {
  if (const auto* rules = platform::find_runtime_rules(name)) return *rules;
  std::vector<std::string> names;
  for (const platform::RuntimeRules& r : platform::runtime_rules()) names.push_back(r.name);
  user_error("rules",
             fmt::format("unknown runtime rules {}{}", quoted(name), did_you_mean(name, names)),
             fmt::format("in --rules {}", name),
             "a runtime's rules say which tasks it orders, and are known by name",
             fmt::format("the rules are: {}", join(names, ", ")));
}

}  // namespace

CheckResult check(const catalog::ProgramDef& def, const CheckRequest& request) {
  CheckResult result;
  const catalog::Config config = configure(def, request);
  result.program = def.name;
  result.shape = config.shape();
  result.platform = request.platform_name;
  result.keys = config.keys();
  result.machine = request.platform.platform;
  result.rules = find_rules(request.rules.empty() ? result.machine.rules : request.rules);

  const ir::Program program = build(def, config);
  compile::Options options;
  options.budget = budget_of(def, request);
  result.plan = compile::compile(program, result.machine, options, result.diagnostics);
  if (!result.plan || result.diagnostics.has_errors()) return result;

  // Only what decides which tasks there are: a layer's weights would take seconds and gigabytes.
  const auto needed = parameters_read_as_scalars(program);
  catalog::Arrays arrays = generate(def, config, program, request.seed, &needed);
  const ir::Bindings bindings = make_bindings(program, arrays, scalar_values(def, config));
  result.graph = compile::unroll(*result.plan, bindings, result.diagnostics);
  if (!result.graph || result.diagnostics.has_errors()) return result;

  result.hazards = compile::find_hazards(*result.plan, *result.graph, result.rules);
  result.diagnostics.append(result.hazards->diagnostics);
  return result;
}

}  // namespace tilewright::harness
