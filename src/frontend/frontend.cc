#include "tilewright/frontend/frontend.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/specs.h"
#include "tilewright/frontend/file.h"
#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {
namespace {

struct Found {
  const Stmt* program = nullptr;
  const Stmt* builder = nullptr;  // null at module level
};

bool is_program(const Stmt& s) {
  const std::string path = decorator_path(s);
  return s.kind == StmtKind::Class ? path == "program"
                                   : s.kind == StmtKind::Function && path == "jit";
}

void find_programs(const Body& body, const Stmt* builder, std::vector<Found>& out) {
  for (const Stmt* s : body) {
    if (is_program(*s))
      out.push_back({s, builder});
    else if (s->kind == StmtKind::Function && !builder && !is_decorated_by_pl(*s))
      find_programs(s->body, s, out);
    else if (s->kind == StmtKind::If) {
      find_programs(s->body, builder, out);
      find_programs(s->other, builder, out);
    }
  }
}

std::vector<Found> programs_in(const Parsed& parsed) {
  std::vector<Found> out;
  find_programs(parsed.body(), nullptr, out);
  return out;
}

std::vector<std::string> names_of(const std::vector<Found>& programs) {
  std::vector<std::string> names;
  for (const Found& f : programs) names.emplace_back(f.program->name);
  return names;
}

Found choose(const Parsed& parsed, const std::string& wanted) {
  const auto programs = programs_in(parsed);
  const std::string where = fmt::format("in {}", parsed.source().name());
  const auto names = names_of(programs);
  if (programs.empty())
    user_error("program", "the file holds no program", where,
               "a program is a class decorated @pl.program, or a function decorated @pl.jit",
               "check that this is the right file");
  if (wanted.empty()) {
    if (programs.size() == 1) return programs[0];
    user_error("program", fmt::format("the file holds {} programs", programs.size()), where,
               "a program is chosen by its name",
               fmt::format("write {}::NAME; the names are: {}", parsed.source().name(),
                           join(names, ", ")));
  }
  const auto it = std::ranges::find(names, wanted);
  if (it != names.end()) return programs[static_cast<std::size_t>(it - names.begin())];
  user_error("program",
             fmt::format("the file has no program {}{}", quote(wanted),
                         did_you_mean(wanted, names)),
             where, "a program is chosen by its name",
             fmt::format("the names are: {}", join(names, ", ")));
}

Value parse_choice(const std::string& text) {
  int64_t integer = 0;
  const char* end = text.data() + text.size();
  if (const auto r = std::from_chars(text.data(), end, integer);
      r.ec == std::errc() && r.ptr == end)
    return {ir::Expr(integer)};
  double number = 0;
  if (const auto r = std::from_chars(text.data(), end, number); r.ec == std::errc() && r.ptr == end)
    return {number};
  if (text == "True" || text == "true") return {true};
  if (text == "False" || text == "false") return {false};
  return {text};
}

// The name the printer gave in "# tilewright: program NAME" above the class.
std::optional<std::string> printed_name(const Parsed& parsed, const Stmt& program) {
  constexpr std::string_view kProgram = "program ";
  std::optional<std::string> name;
  for (const Directive& d : parsed.directives())
    if (d.line < program.at.line && d.text.starts_with(kProgram))
      name = d.text.substr(kProgram.size());
  return name;
}

// The constants around a program, evaluated.
struct Surroundings {
  Choices choices;
  std::unique_ptr<Constants> module, builder;

  Surroundings(const Parsed& parsed, const Found& found,
               const std::map<std::string, std::string>& chosen) {
    for (const auto& [name, text] : chosen) choices[name] = parse_choice(text);
    module = std::make_unique<Constants>(parsed.source(), choices);
    module->run(parsed.body_without_builders());
    if (!found.builder) return;
    builder = std::make_unique<Constants>(parsed.source(), choices, module.get());
    builder->bind_parameters(*found.builder);
    builder->run(found.builder->body);
  }
  Constants& inner() { return builder ? *builder : *module; }
};

void require_used(const Parsed& parsed, Surroundings& around,
                  const std::map<std::string, std::string>& chosen) {
  std::vector<std::string> known;
  if (around.builder) known = around.builder->choosable();
  known.insert(known.end(), around.module->choosable().begin(), around.module->choosable().end());
  for (const auto& [name, text] : chosen)
    if (!around.module->used().contains(name))
      user_error("argument",
                 fmt::format("no parameter or constant {} to set{}", quote(name),
                             did_you_mean(name, known)),
                 fmt::format("in --arg {}={}, file {}", name, text, parsed.source().name()),
                 "--arg sets a builder parameter, a constant of the file or a dynamic size",
                 fmt::format("there is: {}", known.empty() ? "none" : join(known, ", ")));
}

// What the specs say about the parameters that the program turned out to have.
void apply_specs(const Parsed& parsed, const std::vector<TensorSpec>& specs, Lowered& out) {
  const auto told = [&](const TensorSpec& s, Severity severity, std::string what, std::string law,
                        std::string help) {
    const Place place = parsed.place(s.at);
    out.program.diagnostics.add({severity, "spec", std::move(what),
                                 fmt::format("at {}, program {}", place.text(), out.program.name),
                                 std::move(law), std::move(help), place.excerpt()});
  };
  for (const TensorSpec& s : specs) {
    const auto var = out.program.find(s.name);
    const ir::Param* param = var ? out.program.param_of(*var) : nullptr;
    if (!param) continue;  // of another program of the file
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
           "specs list the parameters as the program declares them",
           "make them agree; the program's own type is used");
    if (param->direction == ir::Direction::Out) continue;
    if (!s.unread.empty())
      told(s, Severity::Note,
           fmt::format("the initial values of {} are not understood ({}); zeros are used", s.name,
                       s.unread),
           "torch.rand, randn, ones, zeros, full, randint and arange with arithmetic are read",
           "use one of them, or --replay saved data");
    out.inputs[s.name] = s.init.value_or(Initialiser{});
  }
}

}  // namespace

File File::read(const std::string& path) { return File(Parsed::parse(Source::read(path))); }

File File::parse(const std::string& name, const std::string& text) {
  return File(Parsed::parse(Source::from_text(name, text)));
}

const std::string& File::name() const { return parsed_->source().name(); }

std::vector<std::string> File::programs() const { return names_of(programs_in(*parsed_)); }

std::optional<File::Tolerance> File::tolerance() const {
  const auto rtol = parsed_->tolerance("rtol");
  const auto atol = parsed_->tolerance("atol");
  if (!rtol || !atol) return std::nullopt;
  return Tolerance{*rtol, *atol};
}

std::vector<Argument> File::arguments(const std::string& program,
                                      const std::map<std::string, std::string>& chosen) const {
  Surroundings around(*parsed_, choose(*parsed_, program), chosen);
  std::vector<Argument> out;
  for (const Constants* scope : {around.builder.get(), around.module.get()}) {
    if (!scope) continue;
    for (const std::string& name : scope->choosable()) {
      const Value* v = scope->find(name);
      if (!v || std::ranges::find(out, name, &Argument::name) != out.end()) continue;
      if (const auto i = v->integer())
        out.push_back({name, std::to_string(*i), true, *i});
      else if (const auto* d = v->as<double>())
        out.push_back({name, fmt::format("{}", *d), false, 0});
    }
  }
  return out;
}

Lowered File::lower(const std::string& program,
                    const std::map<std::string, std::string>& chosen) const {
  const Found found = choose(*parsed_, program);
  Surroundings around(*parsed_, found, chosen);
  const auto specs = read_specs(parsed_->body(), parsed_->source(), around.choices, *around.module);
  const auto printed = printed_name(*parsed_, *found.program);
  LoweringInput input{parsed_->source(),
                      around.inner(),
                      found.program,
                      printed.value_or(std::string(found.program->name)),
                      printed.has_value(),
                      &parsed_->directives(),
                      {}};
  for (const TensorSpec& s : specs)
    if (!s.shape.empty()) input.spec_shapes[s.name] = s.shape;
  Lowered out;
  out.program = Lowering(std::move(input)).run();
  apply_specs(*parsed_, specs, out);
  std::map<std::string, std::string> others = chosen;
  for (const ir::Param& p : out.program.params) {
    const ir::Var& v = out.program[p.var];
    const auto it = around.choices.find(v.name);
    if (!v.scalar || it == around.choices.end()) continue;
    if (const auto i = it->second.integer())
      out.scalars[v.name] = static_cast<double>(*i);
    else if (const auto* d = it->second.as<double>())
      out.scalars[v.name] = *d;
    others.erase(v.name);
  }
  require_used(*parsed_, around, others);
  return out;
}

}  // namespace tilewright::frontend
