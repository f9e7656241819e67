#include "tilewright/frontend/borrowed_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/evaluator.h"
#include "tilewright/frontend/evaluate/functions.h"
#include "tilewright/frontend/reach.h"

namespace tilewright::frontend {
namespace {

// x: pl.Tensor, pl.Out[pl.Tensor] and the like.
bool is_bare(const Expr* annotation) {
  while (annotation && annotation->kind == ExprKind::Subscript && annotation->parts.size() == 2)
    annotation = annotation->parts[1];
  return annotation && dotted_path(*annotation) == "pl.Tensor";
}

std::set<ir::VarId> borrowed(const Stmt& function, const Specs& specs,
                             const std::map<std::string, std::string>& chosen,
                             const ir::Program& program) {
  std::set<ir::VarId> out;
  for (const Parameter& p : function.parameters) {
    const std::string name(p.name);
    const auto spec = std::ranges::find(specs.list, name, &TensorSpec::name);
    const auto var = program.find(name);
    if (is_bare(p.annotation) && spec != specs.list.end() && var && !chosen.contains(name) &&
        program[*var].shape == spec->shape)
      out.insert(*var);
  }
  return out;
}

// `for i in pl.range(N)` at this place of the program: N, if it is a constant of the file, which
// the user can choose.
std::string chosen_bound(const Body& body, const Source& source, const World& world,
                         const Place& place) {
  for (const Stmt* s : body) {
    if (s->kind == StmtKind::For && source.place(s->at) == place) {
      const Expr* bound = s->value->parts.size() == 2 ? s->value->parts[1] : nullptr;
      if (!bound || bound->kind != ExprKind::Name) return "";
      const bool global = std::ranges::any_of(world.modules(), [&](const ModuleInfo& m) {
        return m.names.values.contains(bound->text);
      });
      return global ? std::string(bound->text) : "";
    }
    for (const Body* inner : {&s->body, &s->other})
      if (std::string found = chosen_bound(*inner, source, world, place); !found.empty())
        return found;
  }
  return "";
}

}  // namespace

void require_large_enough(const Parsed& main, const Found& found, const Specs& specs,
                          const World& world, const std::map<std::string, std::string>& chosen,
                          ir::Program& program) {
  const Stmt* function = entry_function(*found.program);
  if (specs.of.empty() || !function || program.diagnostics.has_errors()) return;
  const Reach reach(program, borrowed(*function, specs, chosen, program));
  if (reach.needed.empty()) return;
  std::vector<std::string> names, flags;
  for (const auto& [var, shorter] : reach.shorter)
    if (const std::string name =
            chosen_bound(function->body, main.source(), world, shorter.loop->place);
        shorter.helps == reach.outside && !name.empty())
      flags.push_back(fmt::format("--arg {}={}, or", name, shorter.trips));
  for (const auto& [var, shape] : reach.needed) {
    const ir::Var& v = program[var];
    names.push_back(v.name);
    flags.push_back(
        fmt::format("--arg {}={}[{}]", v.name, dtype_name(v.dtype), fmt::join(shape, ",")));
  }
  const Place place = main.source().place(found.program->at);
  program.diagnostics.add(
      {Severity::Error, "dynamic",
       fmt::format("the sizes of {} are too small for {} of {}: {}", specs.of,
                   counted(static_cast<int64_t>(names.size()), "parameter"), program.name,
                   join(names, ", ")),
       fmt::format("at {}, program {}", place.text(), program.name),
       fmt::format("the file starts {}, not this program, and so says no sizes for it", specs.of),
       fmt::format("give {}", join(flags, " ")), place.excerpt(), place});
}

}  // namespace tilewright::frontend
