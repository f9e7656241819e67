#include "tilewright/harness/predict.h"

#include <chrono>

#include "tilewright/harness/inputs.h"
#include "tilewright/sim/sim.h"

namespace tilewright::harness {

std::unique_ptr<Prepared> prepare(const catalog::ProgramDef& def, const SimRequest& request) {
  return prepare(def, request, build(def, configure(def, request)));
}

std::unique_ptr<Prepared> prepare(const catalog::ProgramDef& def, const SimRequest& request,
                                  const ir::Program& program) {
  auto out = std::make_unique<Prepared>();
  const platform::Platform& machine = request.platform.platform;
  const catalog::Config config = configure(def, request);
  out->program = def.name;
  out->shape = config.shape();
  out->platform = request.platform_name;
  out->keys = config.keys();
  const platform::RuntimeRules rules =
      rules_named(request.rules.empty() ? machine.rules : request.rules);
  out->rules = rules.name;

  compile::Options options;
  options.budget = request.budget;
  out->plan = compile::compile(program, machine, options, out->diagnostics);
  if (!out->plan || out->diagnostics.has_errors()) return out;

  const auto needed = parameters_read_as_scalars(program);
  out->arrays = generate(def, config, program, request.seed, request.all_data ? nullptr : &needed);
  out->bindings = make_bindings(program, out->arrays, scalar_values(def, config));
  out->graph = compile::unroll(*out->plan, out->bindings, out->diagnostics);
  if (out->ready()) out->order = compile::order_tasks(*out->plan, *out->graph, rules);
  return out;
}

ir::RunRecord simulate(const Prepared& prepared, const platform::Platform& machine,
                       const SimRequest& request, const std::function<void(double)>& progress) {
  sim::Options how;
  how.profiling = request.profiling;
  how.keep_slices = request.keep_slices;
  how.bindings = &prepared.bindings;
  how.progress = progress;
  return sim::simulate(*prepared.plan, *prepared.graph, prepared.order, machine, how);
}

SimResult predict(const catalog::ProgramDef& def, const SimRequest& request,
                  const std::function<void(double)>& progress) {
  SimResult result;
  const platform::Platform& machine = request.platform.platform;
  result.prepared = prepare(def, request);
  if (!result.prepared->ready()) return result;
  const auto start = std::chrono::steady_clock::now();
  result.record = simulate(*result.prepared, machine, request, progress);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.profile = report::profile(*result.prepared->plan, *result.prepared->graph, *result.record, machine);
  return result;
}

}  // namespace tilewright::harness
