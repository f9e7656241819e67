// Statements: output, branches, loops, assignments, macros.
#include <fmt/format.h>

#include "tilewright/tokens/jinja/evaluate.h"
#include "tilewright/tokens/jinja/lexer.h"

namespace tilewright::tokens::jinja {
namespace {

constexpr int64_t kMaxSteps = 1'000'000;
constexpr std::size_t kMaxBytes = std::size_t{1} << 26;
constexpr int kMaxMacros = 50;

// `loop` inside a for.
Value loop_of(const List& items, std::size_t i) {
  const auto whole = [](std::size_t v) { return Value(static_cast<int64_t>(v)); };
  const std::size_t n = items.size();
  Dict loop;
  loop.items = {
      {"index0", whole(i)},       {"index", whole(i + 1)}, {"revindex0", whole(n - i - 1)},
      {"revindex", whole(n - i)}, {"first", i == 0},       {"last", i + 1 == n},
      {"length", whole(n)}};
  if (i > 0) loop.items.emplace_back("previtem", items[i - 1]);
  if (i + 1 < n) loop.items.emplace_back("nextitem", items[i + 1]);
  return loop;
}

}  // namespace

const Value* Scope::find(std::string_view name) const {
  for (const Scope* s = this; s; s = s->around)
    if (const auto at = s->names.find(name); at != s->names.end()) return &at->second;
  return nullptr;
}

void Evaluator::fail(const std::string& what, int line) const {
  template_error(what, origin_, line);
}

void Evaluator::step(int line) {
  if (++steps_ > kMaxSteps)
    fail(fmt::format("the template takes more than {} steps", kMaxSteps), line);
}

void Evaluator::check_size(std::size_t bytes, int line) const {
  if (bytes > kMaxBytes) fail(fmt::format("a text of more than {} bytes", kMaxBytes), line);
}

std::string Evaluator::run(const std::vector<Stmt>& statements, Scope& scope) {
  std::string out;
  execute(statements, scope, out);
  return out;
}

Evaluator::Flow Evaluator::execute(const std::vector<Stmt>& statements, Scope& scope,
                                   std::string& out) {
  for (const Stmt& s : statements)
    if (const Flow flow = execute(s, scope, out); flow != Flow::Next) return flow;
  return Flow::Next;
}

Evaluator::Flow Evaluator::execute(const Stmt& s, Scope& scope, std::string& out) {
  step(s.line);
  check_size(out.size(), s.line);
  switch (s.kind) {
    case StmtKind::Text: out += s.text; return Flow::Next;
    case StmtKind::Output: out += evaluate(s.expr, scope).text(); return Flow::Next;
    case StmtKind::If:
      return execute(evaluate(s.expr, scope).truth() ? s.body : s.other, scope, out);
    case StmtKind::For: return loop(s, scope, out);
    case StmtKind::Set: assign(s, scope); return Flow::Next;
    case StmtKind::SetBlock: {
      std::string text;
      const Flow flow = execute(s.body, scope, text);
      scope.names[s.names[0]] = Value(std::move(text));
      return flow;
    }
    case StmtKind::Define:
      scope.names[s.macro->name] = Value(static_cast<const Macro*>(s.macro.get()));
      return Flow::Next;
    case StmtKind::Break: return Flow::Break;
    case StmtKind::Continue: return Flow::Continue;
  }
  return Flow::Next;
}

Evaluator::Flow Evaluator::loop(const Stmt& s, Scope& scope, std::string& out) {
  const auto bind = [&](const Value& item, Scope& inner) {
    if (s.names.size() == 1) {
      inner.names[s.names[0]] = item;
      return;
    }
    const List parts = iterate(item, s.line);
    if (parts.size() != s.names.size())
      fail(fmt::format("{} values for {} names", parts.size(), s.names.size()), s.line);
    for (std::size_t i = 0; i < parts.size(); ++i) inner.names[s.names[i]] = parts[i];
  };
  List items;
  for (const Value& item : iterate(evaluate(s.expr, scope), s.line)) {
    step(s.line);
    if (!s.condition.empty()) {
      Scope inner{&scope, {}};
      bind(item, inner);
      if (!evaluate(s.condition[0], inner).truth()) continue;
    }
    items.push_back(item);
  }
  if (items.empty()) return execute(s.other, scope, out);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Scope inner{&scope, {}};
    bind(items[i], inner);
    inner.names["loop"] = loop_of(items, i);
    if (execute(s.body, inner, out) == Flow::Break) break;
  }
  return Flow::Next;
}

void Evaluator::assign(const Stmt& s, Scope& scope) {
  Value value = evaluate(s.expr, scope);
  if (!s.field.empty()) {
    const Value* target = scope.find(s.names[0]);
    Value copy = target ? *target : Value();  // shares the namespace
    Dict* dict = copy.mutable_dict();
    if (!dict || !dict->is_namespace)
      fail(fmt::format("{} is not a namespace, so {} cannot be set", s.names[0], s.field), s.line);
    dict->set(s.field, std::move(value));
    return;
  }
  if (s.names.size() == 1) {
    scope.names[s.names[0]] = std::move(value);
    return;
  }
  const List parts = iterate(value, s.line);
  if (parts.size() != s.names.size())
    fail(fmt::format("{} values for {} names", parts.size(), s.names.size()), s.line);
  for (std::size_t i = 0; i < parts.size(); ++i) scope.names[s.names[i]] = parts[i];
}

Value Evaluator::call_macro(const Macro& macro, const Arguments& args, const Scope& scope,
                            int line) {
  if (depth_ >= kMaxMacros) fail("macros call each other without end", line);
  if (args.values.size() > macro.parameters.size())
    fail(fmt::format("macro {} takes {} arguments", macro.name, macro.parameters.size()), line);
  const Scope* outermost = &scope;
  while (outermost->around) outermost = outermost->around;
  Scope inner{outermost, {}};
  const std::size_t required = macro.parameters.size() - macro.defaults.size();
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    Value v = args.get(i, macro.parameters[i]);
    if (v.is_undefined() && i >= required) v = evaluate(macro.defaults[i - required], inner);
    inner.names[macro.parameters[i]] = std::move(v);
  }
  std::string out;
  ++depth_;
  execute(macro.body, inner, out);
  --depth_;
  return Value(std::move(out));
}

}  // namespace tilewright::tokens::jinja
