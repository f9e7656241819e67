#include "tilewright/harness/check.h"

#include "tilewright/harness/inputs.h"

namespace tilewright::harness {

CheckResult check(const catalog::ProgramDef& def, const CheckRequest& request) {
  CheckResult result;
  const catalog::Config config = configure(def, request);
  result.program = def.name;
  result.shape = config.shape();
  result.platform = request.platform_name;
  result.keys = config.keys();
  result.machine = request.platform.platform;
  result.rules = rules_named(request.rules.empty() ? result.machine.rules : request.rules);

  const ir::Program program = build(def, config);
  compile::Options options;
  options.budget = budget_of(def, request);
  result.plan = compile::compile(program, result.machine, options, result.diagnostics);
  if (!result.plan || result.diagnostics.has_errors()) return result;

  // Only what decides which tasks there are: a layer's weights would take seconds and gigabytes.
  const auto needed = parameters_read_as_scalars(program);
  catalog::Arrays arrays = generate(def, config, program, request.seed, &needed);
  if (def.validate) def.validate(config, arrays);
  const ir::Bindings bindings = make_bindings(program, arrays, scalar_values(def, config));
  result.graph = compile::unroll(*result.plan, bindings, result.diagnostics);
  if (!result.graph || result.diagnostics.has_errors()) return result;

  result.hazards = compile::find_hazards(*result.plan, *result.graph, result.rules);
  // A race under the rules a machine happens to run today is a warning: the program means what it
  // says under exact dependences. Whoever names rules asks for that runtime, and a race is an error.
  for (Diagnostic d : result.hazards->diagnostics.list()) {
    if (request.rules.empty()) d.severity = Severity::Warning;
    result.diagnostics.add(std::move(d));
  }
  return result;
}

}  // namespace tilewright::harness
