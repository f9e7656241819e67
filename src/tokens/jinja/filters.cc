// Filters and tests.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tilewright/base/utf8.h"
#include "tilewright/tokens/jinja/evaluate.h"
#include "tilewright/tokens/jinja/strings.h"

namespace tilewright::tokens::jinja {
namespace {

int64_t length_of(const std::string& s) {
  int64_t n = 0;
  for (std::size_t at = 0; at < s.size(); ++n) at += decode_utf8(s, at).size;
  return n;
}

// int and float of a string that may not be one.
Value to_number(const Value& v, const Value& otherwise, bool whole) {
  double number = v.number();
  if (const std::string* s = v.string()) {
    const std::string word = stripped(*s, kSpaces, true, true);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || error != std::errc() || end != word.data() + word.size())
      return otherwise.is_undefined() ? (whole ? Value(int64_t{0}) : Value(0.0)) : otherwise;
  }
  return whole ? Value(Value(number).whole()) : Value(number);
}

std::optional<Value> simple_filter(const std::string& name, const Value& v, const Arguments& args) {
  if (name == "string") return Value(v.text());
  if (name == "safe") return v;
  if (name == "upper" || name == "lower" || name == "title" || name == "capitalize")
    return Value(cased(v.text(), name));
  if (name == "trim") {
    const Value set = args.get(0, "chars");
    return Value(
        stripped(v.text(), set.string() ? std::string_view(*set.string()) : kSpaces, true, true));
  }
  if (name == "int") return to_number(v, args.get(0, "default"), true);
  if (name == "float") return to_number(v, args.get(0, "default"), false);
  if (name == "default" || name == "d") {
    const bool replace = v.is_undefined() || (args.get(1, "boolean").truth() && !v.truth());
    return replace ? args.get(0, "default_value") : v;
  }
  return std::nullopt;
}

}  // namespace

Value Evaluator::filter(const std::string& name, const Value& v, const Arguments& args,
                        int line) const {
  if (const auto out = simple_filter(name, v, args)) return *out;
  if (name == "tojson") {
    for (const auto& [key, value] : args.named)
      if (key != "indent" && !(key == "ensure_ascii" && !value.truth()))
        fail(fmt::format("tojson with {} is not supported", key), line);
    const Value indent = args.get(0, "indent");
    return Value(to_json(v, indent.is_number()
                                ? static_cast<int>(std::clamp(indent.number(), 0.0, 16.0))
                                : -1));
  }
  if (name == "length" || name == "count") {
    if (const std::string* s = v.string()) return length_of(*s);
    return static_cast<int64_t>(iterate(v, line).size());
  }
  if (name == "replace") {
    const Value from = args.get(0, "old"), to = args.get(1, "new");
    std::string out = replaced(v.text(), from.text(), to.text());
    check_size(out.size(), line);
    return Value(std::move(out));
  }
  if (name == "items") return method("items", v, args, line);
  return pick(name, v, args, line);
}

// Filters that go through a list.
Value Evaluator::pick(const std::string& name, const Value& v, const Arguments& args,
                      int line) const {
  if (name == "first" || name == "last") {
    const List items = iterate(v, line);
    if (items.empty()) return Value::undefined(name);
    return name == "first" ? items.front() : items.back();
  }
  if (name == "list") return iterate(v, line);
  if (name == "reverse") {
    List items = iterate(v, line);
    std::ranges::reverse(items);
    if (!v.string()) return items;
    return filter("join", items, {}, line);
  }
  if (name == "join") {
    std::string out;
    const std::string separator = args.get(0, "d").text();
    bool first = true;
    for (const Value& item : iterate(v, line)) {
      if (!std::exchange(first, false)) out += separator;
      out += item.text();
      check_size(out.size(), line);
    }
    return Value(std::move(out));
  }
  if (name == "map") {
    const Value key = args.get(1000, "attribute");  // by name only
    List out;
    for (const Value& item : iterate(v, line))
      out.push_back(key.string() ? attribute(item, *key.string(), line)
                                 : filter(args.get(0, "").text(), item, {}, line));
    return out;
  }
  if (name == "selectattr" || name == "rejectattr") {
    Arguments rest;
    if (args.values.size() > 2) rest.values.push_back(args.values[2]);
    List out;
    for (const Value& item : iterate(v, line)) {
      const Value field = attribute(item, args.get(0, "").text(), line);
      const bool holds =
          args.values.size() > 1 ? test(args.values[1].text(), field, rest, line) : field.truth();
      if (holds == (name == "selectattr")) out.push_back(item);
    }
    return out;
  }
  fail(fmt::format("the filter '{}' is not supported", name), line);
}

bool Evaluator::test(const std::string& name, const Value& v, const Arguments& args,
                     int line) const {
  const Value other = args.get(0, "");
  if (name == "defined") return !v.is_undefined();
  if (name == "undefined") return v.is_undefined();
  if (name == "none") return v.is_none();
  if (name == "string") return v.string() != nullptr;
  if (name == "boolean") return v.get<bool>() != nullptr;
  if (name == "integer") return v.get<int64_t>() != nullptr;
  if (name == "float") return v.get<double>() != nullptr;
  if (name == "number") return v.is_number();
  if (name == "true") return v.get<bool>() && *v.get<bool>();
  if (name == "false") return v.get<bool>() && !*v.get<bool>();
  if (name == "mapping") return v.dict() != nullptr;
  if (name == "iterable" || name == "sequence") return v.string() || v.list() || v.dict();
  if (name == "equalto" || name == "eq") return equal(v, other);
  if (name == "ne") return !equal(v, other);
  if (name == "in") return contains(other, v, line);
  if (name == "odd" || name == "even" || name == "divisibleby") {
    const int64_t by = name == "divisibleby" ? other.whole() : 2;
    if (by == 0 || !v.is_number()) fail(fmt::format("'{}' of {}", name, v.kind_name()), line);
    return (v.whole() % by == 0) == (name != "odd");
  }
  fail(fmt::format("the test '{}' is not supported", name), line);
}

}  // namespace tilewright::tokens::jinja
