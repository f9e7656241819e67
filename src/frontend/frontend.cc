#include "tilewright/frontend/frontend.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>

#include "tilewright/base/text.h"
#include "tilewright/frontend/apply_specs.h"
#include "tilewright/frontend/borrowed_sizes.h"
#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/frontend/evaluate/specs.h"
#include "tilewright/frontend/file.h"
#include "tilewright/frontend/language_import.h"
#include "tilewright/frontend/lower/lowering.h"
#include "tilewright/frontend/programs.h"

namespace tilewright::frontend {

// The file and every module it has led to.
struct File::Content {
  std::shared_ptr<const Parsed> main;
  Reading how;
  mutable Library library;
  std::mutex mutex;  // of the library: searches ask from several threads
};

namespace {

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

enum class Wanted { Anything, Number, Integer };

// UserError for a choice of another type: where the file uses it, the file would seem to be wrong.
void require_type(const std::string& name, const Value& choice, Wanted wanted,
                  const std::string& example) {
  const bool fits = wanted == Wanted::Anything ||
                    (wanted == Wanted::Number ? choice.number().has_value()
                                              : choice.integer() || choice.as<bool>());
  if (fits) return;
  const std::string text = python_text(choice, false).value_or("");
  user_error("argument",
             fmt::format("{} is {}, '{}' is not", name,
                         wanted == Wanted::Integer ? "an integer" : "a number", text),
             fmt::format("in --arg {}={}", name, text),
             "the value of --arg has the type of the value that it replaces",
             fmt::format("write for example --arg {}={}", name, example));
}

Wanted wanted_in_place_of(const Value& v) {
  if (v.integer() || v.as<Dynamic>()) return Wanted::Integer;
  return v.number() ? Wanted::Number : Wanted::Anything;
}

void require_types(const World& world, const Choices& chosen) {
  for (const World::Choosable& c : world.choosable())
    if (const auto it = chosen.find(c.name); it != chosen.end())
      require_type(c.name, it->second, wanted_in_place_of(c.value),
                   c.value.number() ? python_text(c.value, false).value_or("64") : "64");
}

// A program with errors may have no parameters yet.
bool has_parameter(const Stmt& program, const std::string& name) {
  const auto of = [&](const Stmt& s) {
    return s.kind == StmtKind::Function &&
           std::ranges::find(s.parameters, name, &Parameter::name) != s.parameters.end();
  };
  return of(program) || std::ranges::any_of(program.body, [&](const Stmt* s) { return of(*s); });
}

// A file and its modules up to the program, evaluated for one choice of sizes and one command line.
struct Evaluation {
  World world;
  Modules modules;
  Environment* home;  // the names around the program

  Evaluation(const File::Content& content, const Found& found, const Choices& chosen,
             Choices command_line = {})
      : world(chosen, std::move(command_line), content.how.most_steps),
        modules(world, content.library, content.main, content.how.paths),
        home(&modules.main().names) {
    require_types(world, chosen);
    if (std::ranges::any_of(found.builders, needs_a_call)) run_main_part(world, modules);
    for (const Stmt* builder : found.builders) {
      home = world.new_environment(home);
      Interpreter inner(world, modules, *home);
      inner.bind_builder(*builder);
      require_types(world, chosen);
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
                 fmt::format("the available names are: {}",
                             known.empty() ? "none" : join(known, ", ")));
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

// Sizes and inputs that the file does not mean for this program as it stands.
void tell_sizes(const Parsed& main, const Found& found, ir::Program& program,
                const std::string& whose, const std::string& why) {
  const Place place = main.source().place(found.program->at);
  program.diagnostics.add({Severity::Note, "spec",
                           fmt::format("the sizes and inputs come from {}", whose),
                           fmt::format("at {}, program {}", place.text(), program.name), why,
                           "give other sizes with --arg", place.excerpt(), place});
}

std::string command_text(const World& world) {
  std::vector<std::string> words;
  for (const Value& v : world.argv.items()) words.push_back(python_text(v).value_or(""));
  return join(words, " ");
}

Lowered lower_with(const Parsed& main, Evaluation& around, const Found& found, const Specs& specs,
                   const std::map<std::string, std::string>& chosen, const Reading& how) {
  Lowered out;
  const auto printed = printed_name(main, *found.program);
  LoweringInput input{around.world,
                      around.modules,
                      *around.home,
                      found.program,
                      printed.value_or(std::string(found.program->name)),
                      printed.has_value(),
                      &main.directives(),
                      {},
                      {},
                      how.named};
  for (const TensorSpec& s : specs.list)
    if (!s.shape.empty()) input.types[s.name] = {s.shape, s.dtype, !specs.of.empty()};
  std::map<std::string, std::string> others = chosen;
  for (const auto& [name, text] : chosen)
    if (const auto type = parse_type(text)) {
      input.types[name] = *type;
      others.erase(name);
    }
  for (;;) {
    around.world.renew_steps();
    if (how.lowering) how.lowering();
    try {
      out.program = Lowering(input).run();
      break;
    } catch (const NameChanges& found_out) {
      input.changing.insert(found_out.name);
    }
  }
  if (!specs.of.empty())
    tell_sizes(main, found, out.program, specs.of, "the file runs that program, not this one");
  warn_of_language_import(main, *around.home, found, out.program.diagnostics);
  apply_specs(specs, out);
  if (out.program.rank.valid()) out.scalars[out.program[out.program.rank].name] = 0;
  for (ir::Param& p : out.program.params) {
    const ir::Var& v = out.program[p.var];
    const auto it = chosen.find(v.name);
    if (it == chosen.end()) continue;
    const Value choice = parse_choice(it->second);
    if (v.scalar)
      require_type(v.name, choice, is_float(v.dtype) ? Wanted::Number : Wanted::Integer,
                   is_float(v.dtype) ? "1.5" : "64");
    const auto number = choice.number();
    if (!v.scalar && !number) continue;
    if (v.scalar && number) {
      out.scalars[v.name] = *number;
    } else if (number) {  // an input that is this number everywhere
      out.inputs[v.name] = {.kind = Initialiser::Kind::Constant, .shift = *number};
      p.unsaid = false;
    }
    others.erase(v.name);
  }
  if (out.program.diagnostics.has_errors())
    std::erase_if(others,
                  [&](const auto& entry) { return has_parameter(*found.program, entry.first); });
  require_used(main, around.world, others);
  require_large_enough(main, found, specs, around.world, chosen, out.program);
  return out;
}

}  // namespace

File File::read(const std::string& path, std::vector<std::string> paths,
                const LookedFor& looked_for) {
  return read(path, Reading{.paths = std::move(paths), .looked_for = looked_for});
}

File File::read(const std::string& path, Reading how) {
  if (how.looked_for) how.looked_for(path);
  auto text = how.open_text ? how.open_text(path) : std::nullopt;
  auto source = text ? Source::from_text(path, std::move(*text)) : Source::read(path);
  return {Parsed::parse(std::move(source)), std::move(how)};
}

File File::parse(const std::string& name, const std::string& text, std::vector<std::string> paths) {
  return {Parsed::parse(Source::from_text(name, text)), Reading{.paths = std::move(paths)}};
}

File::File(std::shared_ptr<const Parsed> main, Reading how)
    : content_(std::make_shared<Content>()) {
  content_->main = std::move(main);
  content_->library.looked_for = how.looked_for;
  content_->library.open_text = how.open_text;
  content_->how = std::move(how);
}

std::vector<std::shared_ptr<const Parsed>> File::files() const {
  const std::lock_guard lock(content_->mutex);
  std::vector<std::shared_ptr<const Parsed>> out{content_->main};
  for (const auto& [path, parsed] : content_->library.files())
    if (parsed->source().name() != content_->main->source().name()) out.push_back(parsed);
  return out;
}

void File::limit_steps(int64_t most_steps) { content_->how.most_steps = most_steps; }

const std::string& File::name() const { return content_->main->source().name(); }

std::vector<std::string> File::programs() const {
  return names_of(whole_programs(*content_->main));
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
  const Evaluation around(*content_, choose_program(*content_->main, program), choices_of(chosen));
  std::vector<Argument> out;
  for (const World::Choosable& c : around.world.choosable()) {
    const auto it = chosen.find(c.name);
    const Value v = it == chosen.end() ? c.value : parse_choice(it->second);
    if (const auto i = v.integer())
      out.push_back({c.name, std::to_string(*i), true, *i, c.written});
    else if (const auto* d = v.as<double>())
      out.push_back({c.name, fmt::format("{}", *d), false, 0, c.written});
  }
  return out;
}

Lowered File::lower(const std::string& program,
                    const std::map<std::string, std::string>& chosen) const {
  const std::lock_guard lock(content_->mutex);
  const Parsed& main = *content_->main;
  const Found found = choose_program(main, program);
  if (!main.errors().empty()) {
    Lowered out;
    out.program.name = std::string(found.program->name);
    for (const Diagnostic& d : main.errors()) out.program.diagnostics.add(d);
    return out;
  }
  const Choices choices = choices_of(chosen);
  Evaluation around(*content_, found, choices);
  const Specs specs = read_specs(around.world, around.modules, *found.program);
  Lowered out = lower_with(main, around, found, specs, chosen, content_->how);
  if (specs.started || (!lacks_sizes(out.program) && specs.of.empty()))
    return explain_sizes(specs, std::move(out));
  // The file may start the program when its own command line says so.
  for (const CommandOption& option : around.world.options)
    for (const Value& value : option.others) {
      if (choices.contains(option.name)) continue;
      std::optional<Evaluation> other;
      try {
        other.emplace(*content_, found, choices, Choices{{option.name, value}});
      } catch (const UserError&) {  // the file refuses the option
        continue;
      }
      const Specs started = read_specs(other->world, other->modules, *found.program);
      if (!started.started) continue;
      Lowered result = lower_with(main, *other, found, started, chosen, content_->how);
      if (lacks_sizes(result.program)) {
        if (lacks_sizes(out.program)) return explain_sizes(started, std::move(result));
        continue;
      }
      tell_sizes(main, found, result.program, command_text(other->world),
                 "without options the file does not run this program");
      return result;
    }
  return explain_sizes(specs, std::move(out));
}

}  // namespace tilewright::frontend
