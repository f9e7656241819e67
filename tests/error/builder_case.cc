#include "builder_case.h"

#include <utility>

#include "case.h"

namespace error_test {
namespace {

Outcome check_program(const BuilderCase& c, bool bad) {
  Twin twin(bad);
  Outcome out;
  try {
    Builder builder("demo");
    c.program(builder, twin);
    const ir::Program program = builder.finish(twin.at("finish"));
    if (program.diagnostics.has_errors())
      out.diagnostics = program.diagnostics;
    else
      out = take_steps(program, {});
  } catch (const UserError& e) {
    out.diagnostics.add(e.diagnostic());
  }
  out.places = twin.places();
  return out;
}

}  // namespace

std::vector<Case> builder_cases() {
  const std::vector<std::pair<std::string, std::vector<BuilderCase>>> families{
      {"types", types_cases()},
      {"type_rules", type_rules_cases()},
      {"structure", structure_cases()},
      {"loops", loops_cases()},
      {"scalars", scalars_cases()}};
  std::vector<Case> all;
  for (const auto& [family, cases] : families)
    for (const BuilderCase& c : cases)
      all.push_back({.family = family,
                     .name = c.name,
                     .report = [c] { return report_of(c.codes, c.step, c.message); },
                     .bad = [c] { return check_program(c, true); },
                     .good = [c] { return check_program(c, false); }});
  return all;
}

}  // namespace error_test
