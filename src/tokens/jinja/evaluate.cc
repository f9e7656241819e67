#include "tilewright/tokens/jinja/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/utf8.h"
#include "tilewright/tokens/jinja/strings.h"

namespace tilewright::tokens::jinja {
namespace {

// The date, as Hugging Face gives it to templates.
constexpr std::string_view kNow = "strftime_now";

constexpr int64_t kMaxRange = 100'000;
constexpr int kMaxListDepth = 100;

List characters(const std::string& s) {
  List out;
  for (std::size_t at = 0; at < s.size();) {
    const Utf8Char c = decode_utf8(s, at);
    out.emplace_back(std::string_view(s).substr(at, c.size));
    at += c.size;
  }
  return out;
}

// Python's rule: parts beyond the ends are cut off, and negative ones count from the end.
std::vector<std::size_t> slice_places(int64_t n, const Value& from, const Value& to, int64_t step) {
  const auto bound = [&](const Value& v, int64_t otherwise) {
    if (!v.is_number()) return otherwise;
    int64_t i = v.whole();
    if (i < 0) i += n;
    return step > 0 ? std::clamp<int64_t>(i, 0, n) : std::clamp<int64_t>(i, -1, n - 1);
  };
  const int64_t begin = bound(from, step > 0 ? 0 : n - 1);
  const int64_t end = bound(to, step > 0 ? n : -1);
  std::vector<std::size_t> out;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step)
    out.push_back(static_cast<std::size_t>(i));
  return out;
}

}  // namespace

// Shared pointers that go round in a circle would never be freed.
Evaluator::~Evaluator() {
  for (Value& v : namespaces_) v.mutable_dict()->items.clear();
}

Value Arguments::get(std::size_t place, std::string_view name) const {
  if (place < values.size()) return values[place];
  for (const auto& [key, value] : named)
    if (key == name) return value;
  return {};
}

Arguments Evaluator::arguments(const Expr& e, std::size_t first, const Scope& scope) {
  Arguments out;
  for (std::size_t i = first; i < e.args.size(); ++i)
    out.values.push_back(evaluate(e.args[i], scope));
  for (const auto& [key, value] : e.named) out.named.emplace_back(key, evaluate(value, scope));
  return out;
}

Value Evaluator::evaluate(const Expr& e, const Scope& scope) {
  step(e.line);
  Value v = value_of(e, scope);
  if (v.depth() > kMaxListDepth)
    fail(fmt::format("lists nested more than {} deep", kMaxListDepth), e.line);
  return v;
}

Value Evaluator::value_of(const Expr& e, const Scope& scope) {
  switch (e.kind) {
    case ExprKind::Literal: return e.value;
    case ExprKind::Name: {
      const Value* v = scope.find(e.text);
      if (!v && e.text == kNow) return Value(e.text);  // templates ask whether it is defined
      return v ? *v : Value::undefined(e.text);
    }
    case ExprKind::List: {
      List out;
      for (const Expr& item : e.args) out.push_back(evaluate(item, scope));
      return out;
    }
    case ExprKind::Dict: {
      Dict out;
      for (std::size_t i = 0; i + 1 < e.args.size(); i += 2)
        out.set(evaluate(e.args[i], scope).text(), evaluate(e.args[i + 1], scope));
      return out;
    }
    case ExprKind::Attribute: return attribute(evaluate(e.args[0], scope), e.text, e.line);
    case ExprKind::Item:
      return item(evaluate(e.args[0], scope), evaluate(e.args[1], scope), e.line);
    case ExprKind::Slice: return slice(e, scope);
    case ExprKind::Call: return call(e, scope);
    case ExprKind::Method:
      return method(e.text, evaluate(e.args[0], scope), arguments(e, 1, scope), e.line);
    case ExprKind::Filter:
      return filter(e.text, evaluate(e.args[0], scope), arguments(e, 1, scope), e.line);
    case ExprKind::Test:
      return test(e.text, evaluate(e.args[0], scope), arguments(e, 1, scope), e.line);
    case ExprKind::Not: return !evaluate(e.args[0], scope).truth();
    case ExprKind::Negate:
      return arithmetic("-", Value(int64_t{0}), evaluate(e.args[0], scope), e.line);
    case ExprKind::Binary: return binary(e, scope);
    case ExprKind::Choice:
      return evaluate(evaluate(e.args[1], scope).truth() ? e.args[0] : e.args[2], scope);
  }
  return {};
}

Value Evaluator::binary(const Expr& e, const Scope& scope) {
  Value a = evaluate(e.args[0], scope);
  if (e.text == "and") return a.truth() ? evaluate(e.args[1], scope) : a;
  if (e.text == "or") return a.truth() ? a : evaluate(e.args[1], scope);
  const Value b = evaluate(e.args[1], scope);
  if (e.text == "==") return equal(a, b);
  if (e.text == "!=") return !equal(a, b);
  if (e.text == "in") return contains(b, a, e.line);
  if (e.text == "not in") return !contains(b, a, e.line);
  if (e.text == "<") return less(a, b, e.line);
  if (e.text == ">") return less(b, a, e.line);
  if (e.text == "<=") return !less(b, a, e.line);
  if (e.text == ">=") return !less(a, b, e.line);
  return arithmetic(e.text, a, b, e.line);
}

Value Evaluator::attribute(const Value& of, const std::string& name, int line) const {
  if (const auto* undefined = of.get<Undefined>())
    fail(fmt::format("'{}' is undefined, so it has no '{}'", undefined->name, name), line);
  if (const Dict* dict = of.dict())
    if (const Value* v = dict->find(name)) return *v;
  return Value::undefined(name);
}

Value Evaluator::item(const Value& of, const Value& key, int line) const {
  if (const std::string* name = key.string()) return attribute(of, *name, line);
  if (of.is_undefined()) return attribute(of, key.text(), line);
  if (!key.is_number() || key.get<double>())
    fail(fmt::format("{} is not a valid key for {}", key.kind_name(), of.kind_name()), line);
  if (!of.list() && !of.string()) return Value::undefined(key.text());
  const List items = of.list() ? List() : characters(*of.string());
  const List& all = of.list() ? *of.list() : items;
  int64_t i = key.whole();
  const auto n = static_cast<int64_t>(all.size());
  if (i < 0) i += n;
  return i >= 0 && i < n ? all[static_cast<std::size_t>(i)] : Value::undefined(key.text());
}

Value Evaluator::slice(const Expr& e, const Scope& scope) {
  const Value of = evaluate(e.args[0], scope);
  const Value from = evaluate(e.args[1], scope), to = evaluate(e.args[2], scope);
  const Value by = evaluate(e.args[3], scope);
  const int64_t step = by.is_number() ? by.whole() : 1;
  if (step == 0) fail("a slice with step 0", e.line);
  if (!of.list() && !of.string()) fail(fmt::format("a slice of {}", of.kind_name()), e.line);
  const List items = of.list() ? *of.list() : characters(*of.string());
  List picked;
  for (const std::size_t i : slice_places(static_cast<int64_t>(items.size()), from, to, step))
    picked.push_back(items[i]);
  if (of.list()) return picked;
  std::string text;
  for (const Value& c : picked) text += *c.string();
  return Value(std::move(text));
}

List Evaluator::iterate(const Value& v, int line) const {
  if (const List* list = v.list()) return *list;
  if (const std::string* s = v.string()) return characters(*s);
  if (v.is_undefined()) return {};
  const Dict* dict = v.dict();
  if (!dict) fail(fmt::format("{} cannot be iterated over", v.kind_name()), line);
  List keys;
  for (const auto& item : dict->items) keys.emplace_back(item.first);
  return keys;
}

Value Evaluator::call(const Expr& e, const Scope& scope) {
  const Arguments args = arguments(e, 0, scope);
  if (const Value* known = scope.find(e.text)) {
    const Macro* const* macro = known->get<const Macro*>();
    if (!macro)
      fail(fmt::format("'{}' is {} and cannot be called", e.text, known->kind_name()), e.line);
    return call_macro(**macro, args, scope, e.line);
  }
  if (e.text == "namespace" || e.text == "dict") {
    Dict made;
    made.is_namespace = e.text == "namespace";
    for (const auto& [key, value] : args.named) made.set(key, value);
    if (!made.is_namespace) return made;
    return namespaces_.emplace_back(std::move(made));
  }
  if (e.text == "range") {
    std::vector<int64_t> n;
    for (const Value& v : args.values) n.push_back(v.whole());
    const int64_t begin = n.size() > 1 ? n[0] : 0, step = n.size() > 2 ? n[2] : 1;
    const int64_t end = n.empty() ? 0 : n.size() > 1 ? n[1] : n[0];
    if (step == 0) fail("a range with step 0", e.line);
    List out;
    for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) {
      if (out.size() >= kMaxRange) fail(fmt::format("a range of more than {}", kMaxRange), e.line);
      out.emplace_back(i);
    }
    return out;
  }
  if (e.text == kNow) {
    const Value format = args.get(0, "format");
    if (!format.string()) fail("strftime_now without a format", e.line);
    return Value(now_text(*format.string()));
  }
  if (e.text == "raise_exception")
    fail(fmt::format("the template refuses this conversation: {}", args.get(0, "message").text()),
         e.line);
  fail(fmt::format("the function '{}' is not supported", e.text), e.line);
}

}  // namespace tilewright::tokens::jinja
