#include "tilewright/frontend/frontend.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/frontend/evaluate/specs.h"
#include "tilewright/frontend/file.h"
#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {

// The file and every module it has led to.
struct File::Content {
  std::shared_ptr<const Parsed> main;
  std::vector<std::string> paths;
  mutable Library library;
  std::mutex mutex;  // of the library: searches ask from several threads
};

namespace {

struct Found {
  const Stmt* program = nullptr;
  std::vector<const Stmt*> builders;  // the functions around it, outermost first
};

bool is_program(const Stmt& s) {
  const std::string path = decorator_path(s);
  return s.kind == StmtKind::Class ? path == "program"
                                   : s.kind == StmtKind::Function &&
                                         (path == "jit" || starts_ranks(s));
}

void find_programs(const Body& body, const std::vector<const Stmt*>& builders,
                   std::vector<Found>& out) {
  for (const Stmt* s : body) {
    if (is_program(*s)) {
      out.push_back({s, builders});
    } else if (s->kind == StmtKind::Function && !is_decorated_by_pl(*s)) {
      std::vector<const Stmt*> inner = builders;
      inner.push_back(s);
      find_programs(s->body, inner, out);
    } else if (s->kind == StmtKind::If || s->kind == StmtKind::Try) {
      find_programs(s->body, builders, out);
      find_programs(s->other, builders, out);
    }
  }
}

std::vector<Found> programs_in(const Parsed& parsed) {
  std::vector<Found> out;
  find_programs(parsed.body(), {}, out);
  return out;
}

// Those that stand for themselves: what a host starts on ranks, or needs its windows, is part of it.
std::vector<Found> whole_programs(std::vector<Found> programs) {
  std::set<std::string_view> started;
  bool host = false;
  for (const Found& f : programs) {
    if (!starts_ranks(*f.program)) continue;
    host = true;
    started.merge(started_by(*f.program));
  }
  std::erase_if(programs, [&](const Found& f) {
    return host && (started.contains(f.program->name) || has_windows(*f.program));
  });
  return programs;
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
    const auto whole = whole_programs(programs);
    if (whole.size() == 1) return whole[0];
    user_error("program", fmt::format("the file holds {} programs", whole.size()), where,
               "a program is chosen by its name",
               fmt::format("write {}::NAME; the names are: {}", parsed.source().name(),
                           join(names_of(whole), ", ")));
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

Choices choices_of(const std::map<std::string, std::string>& chosen) {
  Choices out;
  for (const auto& [name, text] : chosen) out[name] = parse_choice(text);
  return out;
}

// A builder with a parameter that only a call gives.
bool needs_a_call(const Stmt* builder) {
  return std::ranges::any_of(builder->parameters, [](const Parameter& p) { return !p.initial; });
}

// A file and its modules, evaluated for one choice of sizes, up to the program.
struct Evaluation {
  World world;
  Modules modules;
  Environment* home;  // the names around the program

  Evaluation(const File::Content& content, const Found& found,
             const std::map<std::string, std::string>& chosen)
      : world(choices_of(chosen)),
        modules(world, content.library, content.main, content.paths),
        home(&modules.main().names) {
    if (std::ranges::any_of(found.builders, needs_a_call)) run_main_part(world, modules);
    for (const Stmt* builder : found.builders) {
      home = world.new_environment(home);
      Interpreter inner(world, modules, *home);
      inner.bind_builder(*builder);
      try {
        inner.run(builder->body);
      } catch (const PythonRaise& raised) {
        refuse_raise(raised);
      }
    }
  }
};

void require_used(const Parsed& parsed, const World& world,
                  const std::map<std::string, std::string>& chosen) {
  std::vector<std::string> known;
  for (const World::Choosable& c : world.choosable()) known.push_back(c.name);
  for (const auto& [name, text] : chosen)
    if (!world.used().contains(name))
      user_error("argument",
                 fmt::format("no parameter or constant {} to set{}", quote(name),
                             did_you_mean(name, known)),
                 fmt::format("in --arg {}={}, file {}", name, text, parsed.source().name()),
                 "--arg sets a builder parameter, a constant, a dynamic size, a scalar, every "
                 "element of an input, or the type of a bare pl.Tensor",
                 fmt::format("there is: {}", known.empty() ? "none" : join(known, ", ")));
}

// "BF16[16,128]" as a type.
std::optional<LoweringInput::KnownType> parse_type(const std::string& text) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos || !text.ends_with(']')) return std::nullopt;
  LoweringInput::KnownType out;
  out.dtype = parse_dtype(text.substr(0, open));
  if (!out.dtype) return std::nullopt;
  for (const std::string& size : split(text.substr(open + 1, text.size() - open - 2), ',')) {
    const Value v = parse_choice(size);
    if (!v.integer() || *v.integer() <= 0) return std::nullopt;
    out.shape.push_back(*v.integer());
  }
  return out;
}

// What the specs say about the parameters that the program turned out to have.
void apply_specs(const std::vector<TensorSpec>& specs, Lowered& out) {
  const auto told = [&](const TensorSpec& s, Severity severity, std::string what, std::string law,
                        std::string help) {
    const Place& place = s.place;
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
    if (param->direction == ir::Direction::Out) {
      out.program.params[static_cast<std::size_t>(param - out.program.params.data())].filled = true;
      continue;
    }
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

File File::read(const std::string& path, std::vector<std::string> paths) {
  return {Parsed::parse(Source::read(path)), std::move(paths)};
}

File File::parse(const std::string& name, const std::string& text, std::vector<std::string> paths) {
  return {Parsed::parse(Source::from_text(name, text)), std::move(paths)};
}

File::File(std::shared_ptr<const Parsed> main, std::vector<std::string> paths)
    : content_(std::make_shared<Content>()) {
  content_->main = std::move(main);
  content_->paths = std::move(paths);
}

const std::string& File::name() const { return content_->main->source().name(); }

std::vector<std::string> File::programs() const {
  return names_of(whole_programs(programs_in(*content_->main)));
}

std::optional<File::Tolerance> File::tolerance() const {
  const auto rtol = content_->main->tolerance("rtol");
  const auto atol = content_->main->tolerance("atol");
  if (!rtol || !atol) return std::nullopt;
  return Tolerance{*rtol, *atol};
}

std::vector<Argument> File::arguments(const std::string& program,
                                      const std::map<std::string, std::string>& chosen) const {
  const std::lock_guard lock(content_->mutex);
  const Evaluation around(*content_, choose(*content_->main, program), chosen);
  std::vector<Argument> out;
  for (const World::Choosable& c : around.world.choosable()) {
    const auto it = chosen.find(c.name);
    const Value v = it == chosen.end() ? c.value : parse_choice(it->second);
    if (const auto i = v.integer())
      out.push_back({c.name, std::to_string(*i), true, *i});
    else if (const auto* d = v.as<double>())
      out.push_back({c.name, fmt::format("{}", *d), false, 0});
  }
  return out;
}

Lowered File::lower(const std::string& program,
                    const std::map<std::string, std::string>& chosen) const {
  const std::lock_guard lock(content_->mutex);
  const Parsed& main = *content_->main;
  const Found found = choose(main, program);
  Lowered out;
  if (!main.errors().empty()) {
    out.program.name = std::string(found.program->name);
    for (const Diagnostic& d : main.errors()) out.program.diagnostics.add(d);
    return out;
  }
  Evaluation around(*content_, found, chosen);
  const auto specs = read_specs(around.world, around.modules, *found.program);
  const auto printed = printed_name(main, *found.program);
  LoweringInput input{around.world,
                      around.modules,
                      *around.home,
                      found.program,
                      printed.value_or(std::string(found.program->name)),
                      printed.has_value(),
                      &main.directives(),
                      {}};
  for (const TensorSpec& s : specs)
    if (!s.shape.empty()) input.types[s.name] = {s.shape, s.dtype};
  std::map<std::string, std::string> others = chosen;
  for (const auto& [name, text] : chosen)
    if (const auto type = parse_type(text)) {
      input.types[name] = *type;
      others.erase(name);
    }
  out.program = Lowering(std::move(input)).run();
  apply_specs(specs, out);
  if (out.program.rank.valid()) out.scalars[out.program[out.program.rank].name] = 0;
  for (const ir::Param& p : out.program.params) {
    const ir::Var& v = out.program[p.var];
    const auto it = chosen.find(v.name);
    const auto number = it == chosen.end() ? std::nullopt : parse_choice(it->second).number();
    if (it == chosen.end() || (!v.scalar && !number)) continue;
    if (v.scalar && number)
      out.scalars[v.name] = *number;
    else if (number)  // an input that is this number everywhere
      out.inputs[v.name] = {.kind = Initialiser::Kind::Constant, .shift = *number};
    others.erase(v.name);
  }
  require_used(main, around.world, others);
  return out;
}

}  // namespace tilewright::frontend
