#include "support.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tilewright/golden/golden.h"
#include "tilewright/harness/inputs.h"
#include "tilewright/models/qwen3/catalog.h"

namespace qwen3_test {
namespace {

harness::Request request(const Case& c) {
  harness::Request r = harness::request_for(c.platform);
  r.shape = c.shape;
  r.set = c.set;
  r.seed = c.seed;
  const catalog::ProgramDef& def = program(c.program);
  if (def.vector_budget) r.budget.vector = def.vector_budget;
  if (def.cube_budget) r.budget.cube = def.cube_budget;
  return r;
}

std::optional<ir::Plan> compiled(const Case& c, const harness::Request& r,
                                 const catalog::Config& config, Diagnostics& diagnostics) {
  ir::Program p = program(c.program).build(config);
  if (c.mutate) c.mutate(p);
  compile::Options options;
  options.budget = r.budget;
  return compile::compile(p, r.platform.platform, options, diagnostics);
}

catalog::Arrays clone(const catalog::Arrays& from) {
  catalog::Arrays to;
  for (const auto& [name, array] : from.all()) to.add(name, array.clone());
  return to;
}

}  // namespace

const std::vector<catalog::ProgramDef>& programs() {
  static const std::vector<catalog::ProgramDef> all = models::qwen3::qwen3_programs();
  return all;
}

const catalog::ProgramDef& program(const std::string& name) {
  for (const catalog::ProgramDef& def : programs())
    if (def.name == "qwen3/" + name) return def;
  throw std::invalid_argument(name);
}

bool has_key(const catalog::ProgramDef& def, const std::string& key) {
  for (const catalog::Key& k : def.keys("tiny", "cpu"))
    if (k.name == key) return true;
  return false;
}

bool Outcome::passed() const {
  if (!ran() || outputs.empty()) return false;
  for (const auto& [name, comparison] : outputs)
    if (!comparison.passed()) return false;
  return true;
}

std::string Outcome::text() const {
  std::string out = diagnostics.text();
  for (const auto& [name, c] : outputs)
    out += fmt::format("{}: {}/{} matched, largest error {}\n", name, c.matched, c.total,
                       c.max_abs_error);
  return out;
}

Outcome run(const Case& c) {
  Outcome out;
  const catalog::ProgramDef& def = program(c.program);
  const harness::Request r = request(c);
  const catalog::Config config = harness::configure(def, r);
  const auto plan = compiled(c, r, config, out.diagnostics);
  if (!plan) return out;
  out.before = harness::generate(def, config, plan->program, c.seed);
  if (c.inputs) c.inputs(out.before);
  if (def.validate) def.validate(config, out.before);
  out.expected = clone(out.before);
  def.formula(config, out.expected);
  out.actual = clone(out.before);
  const ir::Bindings bindings = harness::make_bindings(plan->program, out.actual, {});
  const auto graph = compile::unroll(*plan, bindings, out.diagnostics);
  if (!graph) return out;
  out.tasks = static_cast<int64_t>(graph->tasks.size());
  golden::run_tasks(*plan, *graph, bindings, c.order);
  for (const ir::Param& p : plan->program.params) {
    const std::string& name = plan->program[p.var].name;
    if (p.direction != ir::Direction::In)
      out.outputs[name] =
          harness::compare(out.actual[name], out.expected[name], def.tolerance(name));
  }
  return out;
}

Cost cost_of(const Case& c) {
  const catalog::ProgramDef& def = program(c.program);
  const harness::Request r = request(c);
  const catalog::Config config = harness::configure(def, r);
  Diagnostics diagnostics;
  const auto plan = compiled(c, r, config, diagnostics);
  if (!plan) throw std::runtime_error(diagnostics.text());
  const auto wanted = harness::parameters_read_as_scalars(plan->program);
  catalog::Arrays arrays = harness::generate(def, config, plan->program, c.seed, &wanted);
  const ir::Bindings bindings = harness::make_bindings(plan->program, arrays, {});
  const auto graph = compile::unroll(*plan, bindings, diagnostics);
  if (!graph || diagnostics.has_errors()) throw std::runtime_error(diagnostics.text());
  Cost cost{static_cast<int64_t>(graph->tasks.size()), static_cast<int64_t>(plan->kernels.size())};
  for (const ir::Access& a : graph->accesses) {
    const DType dtype = graph->buffers[a.buffer.index()].dtype;
    (a.write ? cost.gm_written : cost.gm_read) += bytes_of(dtype, a.rect.elements());
  }
  return cost;
}

std::string refusal(const Case& c) {
  try {
    const Outcome o = run(c);
    return o.ran() ? "" : o.diagnostics.text();
  } catch (const UserError& e) {
    return e.diagnostic().text();
  }
}

}  // namespace qwen3_test
