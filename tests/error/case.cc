#include "case.h"

#include <algorithm>

#include "tilewright/golden/golden.h"

namespace error_test {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// One array per parameter, zero where the case gives no data.
struct Data {
  Data(const ir::Program& program, const Setup& setup, bool bad) : arrays(program.params.size()) {
    for (std::size_t i = 0; i < program.params.size(); ++i) {
      const ir::Var& v = program[program.params[i].var];
      const auto number = setup.scalars.find(v.name);
      bindings.scalars.push_back(number == setup.scalars.end() ? 0 : number->second);
      bindings.arrays.push_back(nullptr);
      if (v.scalar || (bad && v.name == setup.unbound)) continue;
      arrays[i] = HostArray(v.dtype, v.shape);
      bindings.arrays[i] = &arrays[i];
      if (const auto values = setup.data.find(v.name); values != setup.data.end())
        for (std::size_t k = 0; k < values->second.size(); ++k)
          arrays[i].set(static_cast<int64_t>(k), values->second[k]);
    }
  }
  std::vector<HostArray> arrays;
  ir::Bindings bindings;
};

struct Outcome {
  Step step = Step::Build;  // the last one taken
  Diagnostics diagnostics;
};

Outcome run(const Case& c, Twin& twin) {
  Outcome out;
  ir::Program program;
  try {
    Builder builder("demo");
    c.program(builder, twin);
    program = builder.finish(twin.at("finish"));
  } catch (const UserError& e) {
    out.diagnostics.add(e.diagnostic());
    return out;
  }
  if (program.diagnostics.has_errors()) {
    out.diagnostics = program.diagnostics;
    return out;
  }
  if (twin.bad && c.edit) c.edit(program);

  const Setup& s = c.setup;
  const bool moves = !twin.bad && !s.good_platform.empty();
  const bool reruns = !twin.bad && !s.good_rules.empty();
  const auto& platform = platform::builtin_platform(moves ? s.good_platform : s.platform);
  const auto* rules = platform::find_runtime_rules(reruns ? s.good_rules : s.rules);
  EXPECT_NE(rules, nullptr);

  out.step = Step::Compile;
  compile::Options options;
  options.budget = s.budget;
  const auto plan = compile::compile(program, platform, options, out.diagnostics);
  if (!plan) return out;

  out.step = Step::Unroll;
  Data data(program, s, twin.bad);
  const auto graph = compile::unroll(*plan, data.bindings, out.diagnostics);
  if (!graph) return out;

  out.step = Step::Hazards;
  out.diagnostics.append(compile::find_hazards(*plan, *graph, *rules).diagnostics);
  // The twin that passes every check must also run: the interpreter has checks of its own.
  if (!twin.bad) golden::run_tasks(*plan, *graph, data.bindings, 1);
  return out;
}

}  // namespace

std::string Twin::with_places(std::string message) const {
  for (const auto& [name, place] : places_) replace_all(message, "{" + name + "}", place);
  return message;
}

std::string Twin::with_names(std::string message) const {
  // Longer places first: one may be the beginning of another.
  std::vector<std::pair<std::string, std::string>> names(places_.begin(), places_.end());
  std::ranges::stable_sort(names, std::greater<>(), [](const auto& n) { return n.second.size(); });
  for (const auto& [name, place] : names) replace_all(message, place, "{" + name + "}");
  return message;
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

TEST_P(ErrorCase, BadProgramIsToldExactly) {
  const Case& c = GetParam();
  Twin twin(true);
  const Outcome out = run(c, twin);
  EXPECT_EQ(out.diagnostics.text(), twin.with_places(c.message))
      << "with names:\n" << twin.with_names(out.diagnostics.text());
  EXPECT_EQ(out.step, c.step);
  std::vector<std::string> codes;
  for (const Diagnostic& d : out.diagnostics.list()) {
    codes.push_back(d.code);
    EXPECT_FALSE(d.what.empty() || d.where.empty() || d.law.empty() || d.help.empty())
        << "a message has four lines";
  }
  EXPECT_EQ(codes, c.codes);
}

TEST_P(ErrorCase, GoodTwinPasses) {
  const Case& c = GetParam();
  Twin twin(false);
  const Outcome out = run(c, twin);
  EXPECT_FALSE(out.diagnostics.has_errors()) << out.diagnostics.text();
  EXPECT_EQ(out.step, Step::Hazards);
  for (const Diagnostic& d : out.diagnostics.list())
    EXPECT_EQ(std::ranges::count(c.codes, d.code), 0) << d.text();
}

}  // namespace error_test
