#include "steps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tilewright/golden/golden.h"
#include "tilewright/ir/plan.h"

namespace error_test {
namespace {

// One array or number per parameter.
struct Data {
  Data(const ir::Program& program, const Settings& settings) : arrays(program.params.size()) {
    for (std::size_t i = 0; i < program.params.size(); ++i) {
      const ir::Var& v = program[program.params[i].var];
      const auto number = settings.scalars.find(v.name);
      bindings.scalars.push_back(number == settings.scalars.end() ? 0 : number->second);
      bindings.arrays.push_back(nullptr);
      if (v.scalar || v.name == settings.unbound) continue;
      arrays[i] = HostArray(v.dtype, v.shape);
      bindings.arrays[i] = &arrays[i];
      const auto values = settings.data.find(v.name);
      if (values != settings.data.end()) fill(arrays[i], v.name, values->second);
    }
  }

  static void fill(HostArray& array, const std::string& name, const std::vector<double>& values) {
    const auto count = static_cast<int64_t>(values.size());
    EXPECT_LE(count, array.size()) << "too many numbers for " << name;
    for (int64_t k = 0; k < std::min(count, array.size()); ++k)
      array.set(k, values[static_cast<std::size_t>(k)]);
  }

  std::vector<HostArray> arrays;
  ir::Bindings bindings;
};

// A setting that speaks of nothing would be a case that tests something else than it says.
void expect_parameters(const ir::Program& program, const Settings& settings) {
  const auto expect = [&](const std::string& name, bool scalar) {
    const bool known = std::ranges::any_of(program.params, [&](const ir::Param& p) {
      return program[p.var].name == name && program[p.var].scalar == scalar;
    });
    EXPECT_TRUE(known) << "the settings name " << name << ", which is no "
                       << (scalar ? "scalar" : "tensor") << " parameter of the program";
  };
  for (const auto& [name, number] : settings.scalars) expect(name, true);
  for (const auto& [name, numbers] : settings.data) expect(name, false);
  if (!settings.unbound.empty()) expect(settings.unbound, false);
}

}  // namespace

std::string_view step_name(Step step) {
  switch (step) {
    case Step::Build: return "build";
    case Step::Compile: return "compile";
    case Step::Unroll: return "unroll";
    case Step::Hazards: return "hazards";
  }
  return "";
}

Outcome take_steps(const ir::Program& program, const Settings& settings) {
  expect_parameters(program, settings);
  Outcome out;
  out.last_step = Step::Compile;
  compile::Options options;
  options.budget = settings.budget;
  const auto& platform = platform::builtin_platform(settings.platform);
  const auto plan = compile::compile(program, platform, options, out.diagnostics);
  if (!plan) return out;

  out.last_step = Step::Unroll;
  Data data(program, settings);
  const auto& rules = *platform::find_runtime_rules(settings.rules);
  if (program.ranks > 1) {
    const auto graphs = compile::unroll_ranks(*plan, data.bindings, out.diagnostics);
    if (graphs.empty()) return out;
    out.last_step = Step::Hazards;
    out.diagnostics.append(compile::check_ranks(*plan, graphs, rules));
    return out;
  }
  const auto graph = compile::unroll(*plan, data.bindings, out.diagnostics);
  if (!graph) return out;
  out.diagnostics.append(compile::check_launches(*plan, *graph, platform));
  if (out.diagnostics.has_errors()) return out;

  out.last_step = Step::Hazards;
  out.diagnostics.append(compile::find_hazards(*plan, *graph, rules).diagnostics);
  const bool executable = program.externals.empty();
  if (!out.diagnostics.has_errors() && executable)
    golden::run_tasks(*plan, *graph, data.bindings, 1);
  return out;
}

}  // namespace error_test
