#include "tilewright/frontend/evaluate/constants.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"

namespace tilewright::frontend {

bool is_decorated_by_pl(const Stmt& s) { return !decorator_path(s).empty(); }

std::string decorator_path(const Stmt& s) {
  for (const Expr* d : s.decorators) {
    const Expr& callee = d->kind == ExprKind::Call ? *d->parts[0] : *d;
    const std::string path = dotted_path(callee);
    if (path.starts_with("pl.")) return path.substr(3);
  }
  return "";
}

const Value* Constants::find(std::string_view name) const {
  const auto it = values_.find(name);
  if (it != values_.end()) return &it->second;
  return outer_ ? outer_->find(name) : nullptr;
}

const Value* Constants::chosen(std::string_view name) {
  const auto it = choices_.find(std::string(name));
  if (it == choices_.end()) return nullptr;
  used_->insert(it->first);
  return &it->second;
}

Value Constants::attempt(const Expr& e) {
  try {
    return evaluate(e);
  } catch (const UserError& error) {
    return {Unknown{error.diagnostic().what}};
  }
}

void Constants::bind_parameters(const Stmt& builder) {
  for (const Parameter& p : builder.parameters) {
    choosable_.emplace_back(p.name);
    if (const Value* choice = chosen(p.name)) {
      bind(p.name, *choice);
    } else if (p.initial) {
      bind(p.name, attempt(*p.initial));
    } else {
      bind(p.name,
           {Unknown{fmt::format("builder parameter {} without a default; give --arg {}=NUMBER",
                                p.name, p.name)}});
    }
  }
}

void Constants::run(const Body& body) {
  for (const Stmt* s : body) statement(*s);
}

void Constants::statement(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::Assign: return assign(s);
    case StmtKind::Assert: {
      const Value v = attempt(*s.value);
      if (const auto* holds = v.as<bool>(); holds && !*holds)
        fail(s.value->at, "assert", "an assert of the file does not hold",
             "the file says which sizes it works for", "choose other sizes");
      return;
    }
    case StmtKind::If: {
      const Value condition = attempt(*s.value);
      if (condition.as<Unknown>() || condition.as<ir::Cond>())
        unsupported(s.at, "a branch on something that is not known at compile time",
                    "use constants of the file");
      return run(truth(condition, s.at) ? s.body : s.other);
    }
    case StmtKind::Raise:
      fail(s.at, "guard", fmt::format("a guard of the file refuses these sizes: {}", s.why),
           "the file says which sizes it works for", "choose other sizes");
    case StmtKind::Function:
      if (!is_decorated_by_pl(s)) return bind(s.name, {Unknown{"a Python function"}});
      definitions_.push_back(&s);
      return bind(s.name, {Function{&s}});
    case StmtKind::Class:
      if (is_decorated_by_pl(s)) definitions_.push_back(&s);
      return;
    case StmtKind::Skipped:
      if (!s.name.empty()) bind(s.name, {Unknown{s.why}});
      for (const Expr* target : s.targets) bind(target->text, {Unknown{s.why}});
      return;
    case StmtKind::Evaluate:
    case StmtKind::Return:
    case StmtKind::Pass: return;
    case StmtKind::For:
    case StmtKind::While:
    case StmtKind::With:
    case StmtKind::Break:
    case StmtKind::Continue: break;
  }
  unsupported(s.at, "a loop or with-statement outside a program function", "write the values out");
}

void Constants::assign(const Stmt& s) {
  if (!s.value) return;
  if (s.targets.size() == 1) {
    const Expr& target = *s.targets[0];
    if (target.kind != ExprKind::Name) return;  // an entry of a Python object
    Value value = attempt(*s.value);
    const bool plain = s.value->kind == ExprKind::Number || value.as<Dynamic>();
    if (plain) choosable_.emplace_back(target.text);
    if (const Value* choice = plain ? chosen(target.text) : nullptr) value = *choice;
    return bind(target.text, std::move(value));
  }
  const Value value = attempt(*s.value);
  const auto* list = value.as<List>();
  for (std::size_t i = 0; i < s.targets.size(); ++i)
    bind(s.targets[i]->text, list && list->items.size() == s.targets.size()
                                 ? list->items[i]
                                 : Value{Unknown{"part of something that is not a list"}});
}

Value Constants::name(const Expr& e) {
  const Value* v = find(e.text);
  if (!v)
    fail(e.at, "name", fmt::format("unknown name {}", e.text),
         "a name is defined before it is used", "check the spelling");
  if (const auto* unknown = v->as<Unknown>())
    fail(e.at, "name", fmt::format("{} cannot be used: {}", e.text, unknown->why),
         "constants are numbers, strings and what is computed from them",
         fmt::format("define {} as a constant of this file", e.text));
  return *v;
}

Value Constants::with_name(std::string_view name, Value value, const Expr& e) {
  Constants inner(source_, choices_, this);
  inner.bind(name, std::move(value));
  return inner.evaluate(e);
}

// `os.environ.get("NAME", default)`: the environment of whoever wrote the file is not here.
Value Constants::environment(const Expr& e) {
  if (e.parts.size() < 3) return {None{}};
  return evaluate(*e.parts[2]);
}

Value Constants::call(const Expr& e) {
  const std::string callee = dotted_path(*e.parts[0]);
  if (callee == "os.environ.get" || callee == "os.getenv") return environment(e);
  std::vector<Value> args;
  for (std::size_t i = 1; i < e.parts.size(); ++i) args.push_back(evaluate(*e.parts[i]));
  if (callee == "pl.dynamic" && args.size() == 1 && args[0].as<std::string>()) {
    const std::string& name = *args[0].as<std::string>();
    if (const Value* choice = chosen(name)) return *choice;
    return {Dynamic{name}};
  }
  if (auto value = builtin(callee, args, e.at)) return *value;
  unsupported(e.at, callee.empty() ? "this call" : fmt::format("a call of {}", callee),
              "write the value out as a constant");
}

Value Constants::subscript(const Expr& e) {
  const Value base = evaluate(*e.parts[0]);
  const auto* list = base.as<List>();
  if (!list || e.parts.size() != 2 || e.parts[1]->kind == ExprKind::Slice)
    unsupported(e.at, "this subscript", "write the value out as a constant");
  const Value index = evaluate(*e.parts[1]);
  const auto i = index.integer();
  const auto size = static_cast<int64_t>(list->items.size());
  if (!i || *i < -size || *i >= size)
    fail(e.at, "constant", fmt::format("a list of {} has no such entry", size),
         "an index is in range", "check the index");
  return list->items[static_cast<std::size_t>(*i < 0 ? *i + size : *i)];
}

}  // namespace tilewright::frontend
