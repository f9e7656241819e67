#include "tilewright/frontend/apply_specs.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/ir/infer.h"

namespace tilewright::frontend {

bool lacks_sizes(const ir::Program& program) {
  return std::ranges::any_of(program.diagnostics.list(),
                             [](const Diagnostic& d) { return d.code == "dynamic"; });
}

void apply_specs(const Specs& specs, Lowered& out) {
  const auto told = [&](const TensorSpec& s, Severity severity, std::string what, std::string law,
                        std::string help) {
    const Place& place = s.place;
    out.program.diagnostics.add({severity, "spec", std::move(what),
                                 fmt::format("at {}, program {}", place.text(), out.program.name),
                                 std::move(law), std::move(help), place.excerpt(), place});
  };
  // Nobody says what the integers of a tensor without a spec are.
  for (ir::Param& p : out.program.params) {
    const ir::Var& v = out.program[p.var];
    p.unsaid = !v.scalar && !is_float(v.dtype) && p.direction == ir::Direction::In;
  }
  for (const TensorSpec& s : specs.list) {
    const auto var = out.program.find(s.name);
    const auto param = std::ranges::find_if(
        out.program.params, [&](const ir::Param& p) { return var && p.var == *var; });
    if (param == out.program.params.end()) continue;  // of another program of the file
    const ir::Var& v = out.program[*var];
    if (v.scalar) {
      out.scalars[s.name] = s.value;
      continue;
    }
    if ((!s.shape.empty() && s.shape != v.shape) || (s.dtype && *s.dtype != v.dtype))
      told(s, Severity::Warning,
           fmt::format("the spec of {} is {}, but the parameter is {}", s.name,
                       ir::type_text(ir::ArrayType{s.dtype.value_or(v.dtype),
                                                   s.shape.empty() ? v.shape : s.shape}),
                       ir::type_text(v)),
           "specs must match the declared parameters",
           "make the spec match the parameter; the declared type is used");
    if (param->direction == ir::Direction::Out && !s.initialised_output) {
      param->filled = true;
      continue;
    }
    if (param->direction == ir::Direction::Out) {
      param->direction = ir::Direction::InOut;
      param->role = ir::Role::State;
      told(s, Severity::Note,
           fmt::format("output {} has initial values, so it is treated as InOut", s.name),
           "the initial contents of an Out parameter are undefined",
           "declare it pl.InOut[...], or remove the initial values");
    }
    using Kind = Initialiser::Kind;
    const bool real = is_float(v.dtype);
    const bool unread = !s.unread.empty();
    const bool quantised = v.dtype == DType::I8;
    if (unread)
      told(s, Severity::Note,
           fmt::format("the initial values of {} cannot be evaluated ({}); {} are used instead",
                       s.name, s.unread,
                       real        ? "random numbers from 0 to 1"
                       : quantised ? "random integers"
                                   : "zeros"),
           "inputs come from the file's torch specs, where these can be evaluated",
           "simplify the initialiser, or provide the values with --replay");
    const bool filler = specs.compiles && s.init && s.init->kind == Kind::Constant;
    param->unsaid = !real && (unread || filler);
    // Scales and weights of 0 would make every result 0 or infinite; an address of 0 exists.
    Initialiser standing_in{real && unread ? Kind::Uniform : Kind::Constant};
    if (quantised && unread) standing_in = {.kind = Kind::Integers, .low = -127, .high = 128};
    out.inputs[s.name] = s.init.value_or(standing_in);
  }
}

Lowered explain_sizes(const Specs& specs, Lowered out) {
  if (!lacks_sizes(out.program)) return out;
  const auto told = [&](const std::string& what, const std::string& why, const Place* place) {
    out.program.diagnostics.add(
        {Severity::Note, "spec", fmt::format("{} ({})", what, why),
         place ? fmt::format("at {}, program {}", place->text(), out.program.name)
               : fmt::format("program {}", out.program.name),
         "sizes come from the specs that the file passes to the program",
         "give the sizes with --arg", place ? place->excerpt() : std::string(),
         place ? *place : Place()});
  };
  if (!specs.stopped.empty())
    told("the main part of the file stops before it runs the program", specs.stopped, nullptr);
  if (!specs.unread.empty())
    told("the specs of the program cannot be evaluated", specs.unread, nullptr);
  for (const TensorSpec& s : specs.list)
    if (!s.unread_shape.empty())
      told(fmt::format("the shape of {} cannot be evaluated", s.name), s.unread_shape, &s.place);
  return out;
}

}  // namespace tilewright::frontend
