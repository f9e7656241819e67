#include "tilewright/session/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/program.h"

namespace tilewright::session {
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
               fmt::format("{} for {}, which is not {} of the program{}", what, quote(name), kind,
                           did_you_mean(name, names)),
               fmt::format("in the definition of program {}", program.name),
               "a definition may name only parameters of its program",
               fmt::format("available: {}", names.empty() ? "none" : join(names, ", ")));
  }
}

void require_same_shape(const ir::Var& output, const ir::Var& input, const ir::Program& program) {
  if (output.shape == input.shape) return;
  user_error("definition",
             fmt::format("output {} {} is added to {} {}", output.name, shape_text(output.shape),
                         input.name, shape_text(input.shape)),
             fmt::format("in the definition of program {}", program.name),
             "an output has the shape of the input it adds to", "correct ProgramDef::added_to");
}

}  // namespace

void require_consistent(const catalog::ProgramDef& def, const catalog::Config& config,
                        const ir::Program& program) {
  if (def.inputs)
    require_parameters(def.inputs(config), program, "initial values", "an input", is_input);
  if (def.scalars)
    require_parameters(def.scalars(config), program, "a value", "a scalar parameter", is_scalar);
  require_parameters(def.tolerances, program, "a tolerance", "an output", is_output);
  require_parameters(def.added_to, program, "an added-to input", "an output", is_output);
  std::map<std::string, std::string> bases;
  for (const auto& [output, input] : def.added_to) bases[input] = output;
  require_parameters(bases, program, "added_to", "a read-only input", is_read_only);
  for (const auto& [output, input] : def.added_to)
    require_same_shape(program[*program.find(output)], program[*program.find(input)], program);
}

}  // namespace tilewright::session
