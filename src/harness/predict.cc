#include "tilewright/harness/predict.h"

#include <chrono>

#include "tilewright/harness/inputs.h"
#include "tilewright/sim/sim.h"

namespace tilewright::harness {

SimResult predict(const catalog::ProgramDef& def, const SimRequest& request,
                  const std::function<void(double)>& progress) {
  SimResult result;
  const platform::Platform& machine = request.platform.platform;
  const catalog::Config config = configure(def, request);
  result.program = def.name;
  result.shape = config.shape();
  result.platform = request.platform_name;
  result.keys = config.keys();
  const platform::RuntimeRules rules = rules_named(request.rules.empty() ? machine.rules : request.rules);
  result.rules = rules.name;

  const ir::Program program = build(def, config);
  compile::Options options;
  options.budget = request.budget;
  result.plan = compile::compile(program, machine, options, result.diagnostics);
  if (!result.plan || result.diagnostics.has_errors()) return result;

  const auto needed = parameters_read_as_scalars(program);
  catalog::Arrays arrays = generate(def, config, program, request.seed, &needed);
  const ir::Bindings bindings = make_bindings(program, arrays, scalar_values(def, config));
  result.graph = compile::unroll(*result.plan, bindings, result.diagnostics);
  if (!result.graph || result.diagnostics.has_errors()) return result;

  const auto start = std::chrono::steady_clock::now();
  const ir::RuntimeGraph order = compile::order_tasks(*result.plan, *result.graph, rules);
  sim::Options how;
  how.profiling = request.profiling;
  how.keep_slices = request.keep_slices;
  how.bindings = &bindings;
  how.progress = progress;
  result.record = sim::simulate(*result.plan, *result.graph, order, machine, how);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.profile = report::profile(*result.plan, *result.graph, *result.record, machine);
  return result;
}

}  // namespace tilewright::harness
