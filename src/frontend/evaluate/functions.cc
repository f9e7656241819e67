// Calls of the file's own functions at compile time, and what decorators say about them.
#include "tilewright/frontend/evaluate/functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/interpreter.h"

namespace tilewright::frontend {
namespace {

constexpr int kMostCalls = 60;  // functions inside each other

}  // namespace

FunctionKind function_kind(const Stmt& function) {
  const std::string path = decorator_path(function);
  if (path == "jit.incore") return FunctionKind::InCore;
  if (path == "jit.host") return FunctionKind::Host;
  if (path == "jit.extern") return FunctionKind::External;
  for (const Expr* d : function.decorators)
    for (const Keyword& k : d->keywords)
      if (k.name == "external_source") return FunctionKind::External;
  for (const Expr* d : function.decorators)
    for (const Keyword& k : d->keywords) {
      const std::string word = dotted_path(*k.value);
      if (k.name == "type" && (word == "pl.FunctionType.InCore" || word == "pl.FunctionType.AIC" ||
                               word == "pl.FunctionType.AIV"))
        return FunctionKind::InCore;
      if (k.name == "level" && word == "pl.Level.HOST") return FunctionKind::Host;
    }
  for (const Stmt* s : function.body) {
    const bool docstring = s->kind == StmtKind::Evaluate && s->value->kind == ExprKind::String;
    const bool dots = s->kind == StmtKind::Evaluate && s->value->kind == ExprKind::Ellipsis;
    if (!docstring && !dots && s->kind != StmtKind::Pass) return FunctionKind::Orchestration;
  }
  return FunctionKind::Empty;
}

const Stmt* entry_function(const Stmt& program) {
  if (program.kind == StmtKind::Function) return &program;
  const Stmt* found = nullptr;
  const Stmt* kernel = nullptr;
  for (const Stmt* s : program.body) {
    if (s->kind != StmtKind::Function || !is_decorated_by_pl(*s)) continue;
    const FunctionKind kind = function_kind(*s);
    if (kind == FunctionKind::Orchestration) found = s;
    if (kind == FunctionKind::InCore) kernel = s;
  }
  return found ? found : kernel;
}

bool makes_inputs(std::string_view name) {
  return name.find("spec") != std::string_view::npos ||
         name.find("tensors") != std::string_view::npos;
}

void require_readable(const Stmt& function, const Source& source) {
  if (function.kind == StmtKind::Class)
    refuse(source.place(function.at), "unsupported",
           fmt::format("program {} is called by a program, which is not supported", function.name),
           "a program is started by the host; programs call functions",
           "call a function of the program instead");
  const FunctionKind kind = function_kind(function);
  if (kind == FunctionKind::Host)
    refuse(source.place(function.at), "unsupported",
           fmt::format("{} is a step of the host, which is not supported", function.name),
           "only device code is read; host code is not", "name the device program instead");
  if (kind == FunctionKind::Empty)
    refuse(source.place(function.at), "unsupported",
           fmt::format("{} has no body here, which is not supported", function.name),
           "a function is executed from its source",
           "give the function a body, or declare it @pl.jit.extern if it is written elsewhere");
}

void Interpreter::bind_parameters(const std::vector<Parameter>& parameters, const Function& f,
                                  const CallValues& args, Environment& into, At at) {
  std::vector<Value> positional;
  if (f.self) positional.push_back(*f.self);
  positional.insert(positional.end(), args.positional.begin(), args.positional.end());
  std::size_t next = 0;
  const bool of_specs = f.def && makes_inputs(f.def->name);
  for (const Parameter& p : parameters) {
    // The sizes of specs follow the user's, like those of the program.
    if (const Value* choice = of_specs ? world_.chosen(p.name) : nullptr) {
      into.bind(p.name, *choice);
      ++next;
      continue;
    }
    if (p.kind == Parameter::Kind::Rest) {
      const auto from = static_cast<std::ptrdiff_t>(std::min(next, positional.size()));
      into.bind(p.name, {List::of({positional.begin() + from, positional.end()}, true)});
      next = positional.size();
      continue;
    }
    if (p.kind == Parameter::Kind::RestKeywords) {
      Dict rest{std::make_shared<std::vector<std::pair<Value, Value>>>()};
      for (const auto& [k, v] : args.keywords)
        if (std::ranges::find(parameters, k, &Parameter::name) == parameters.end())
          rest.set({k}, v);
      into.bind(p.name, {std::move(rest)});
      continue;
    }
    if (p.kind == Parameter::Kind::Plain && next < positional.size()) {
      into.bind(p.name, positional[next++]);
      continue;
    }
    const auto it = std::ranges::find(args.keywords, p.name,
                                      &std::pair<std::string, Value>::first);
    if (it != args.keywords.end()) {
      into.bind(p.name, it->second);
    } else if (p.initial) {
      const auto i = static_cast<std::size_t>(&p - parameters.data());
      into.bind(p.name, f.defaults ? (*f.defaults)[i]
                                   : Interpreter(world_, modules_, *f.home).attempt(*p.initial));
    } else {
      fail(at, "argument", fmt::format("a call without {}", p.name),
           "a call needs one argument per parameter", fmt::format("give {}", p.name));
    }
  }
}

std::shared_ptr<const std::vector<Value>> Interpreter::defaults_of(
    const std::vector<Parameter>& parameters) {
  if (std::ranges::none_of(parameters, [](const Parameter& p) { return p.initial; })) return nullptr;
  auto out = std::make_shared<std::vector<Value>>();
  for (const Parameter& p : parameters)
    out->push_back(p.initial ? attempt(*p.initial) : Value{None{}});
  return out;
}

Value Interpreter::call_function(const Function& f, const CallValues& args, At at) {
  if (f.def && is_decorated_by_pl(*f.def)) return start_program(f, args, at);
  if (world_.calls >= kMostCalls)
    fail(at, "evaluate", fmt::format("functions call each other more than {} deep", kMostCalls),
         "code outside programs is evaluated once, before the programs are read",
         "check the recursion");
  Environment* local = world_.new_environment(f.home);
  ++world_.calls;
  struct Leave {
    int& calls;
    ~Leave() { --calls; }
  } const leave{world_.calls};
  bind_parameters(f.def ? f.def->parameters : f.lambda->parameters, f, args, *local, at);
  if (f.def) world_.first_calls.try_emplace(f.def, local->values);
  Interpreter inner(world_, modules_, *local);
  if (f.lambda) return inner.attempt(*f.lambda->parts[0]);
  inner.run(f.def->body);
  return inner.returned();
}

}  // namespace tilewright::frontend
