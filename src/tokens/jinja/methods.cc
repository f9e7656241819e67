// Methods of strings and mappings, as Python has them.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/tokens/jinja/evaluate.h"
#include "tilewright/tokens/jinja/strings.h"

namespace tilewright::tokens::jinja {
namespace {

List split_at_spaces(std::string_view s) {
  List out;
  for (std::size_t at = 0; (at = s.find_first_not_of(kSpaces, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(s.find_first_of(kSpaces, at), s.size());
    out.emplace_back(s.substr(at, end - at));
    at = end;
  }
  return out;
}

List split_at(std::string_view s, std::string_view separator, int64_t most) {
  List out;
  for (;;) {
    const std::size_t at = most-- == 0 ? std::string_view::npos : s.find(separator);
    out.emplace_back(s.substr(0, at));
    if (at == std::string_view::npos) return out;
    s.remove_prefix(at + separator.size());
  }
}

Value items_of(const Dict& dict) {
  List out;
  for (const auto& [key, value] : dict.items) out.emplace_back(List{Value(key), value});
  return out;
}

std::optional<Value> dict_method(const std::string& name, const Dict& dict, const Arguments& args) {
  if (name == "items") return items_of(dict);
  if (name == "get") {
    const Value key = args.get(0, "key");
    const Value* v = key.string() ? dict.find(*key.string()) : nullptr;
    if (v) return *v;
    const Value otherwise = args.get(1, "default");
    return otherwise.is_undefined() ? Value(None{}) : otherwise;
  }
  if (name != "keys" && name != "values") return std::nullopt;
  List out;
  for (const auto& [key, value] : dict.items) out.push_back(name == "keys" ? Value(key) : value);
  return out;
}

}  // namespace

Value Evaluator::method(const std::string& name, const Value& v, const Arguments& args,
                        int line) const {
  if (const auto* undefined = v.get<Undefined>())
    fail(fmt::format("'{}' is undefined, so it has no '{}'", undefined->name, name), line);
  if (const Dict* dict = v.dict())
    if (const auto out = dict_method(name, *dict, args)) return *out;
  const std::string* s = v.string();
  if (!s) fail(fmt::format("the method '{}' of {} is not supported", name, v.kind_name()), line);
  const Value first = args.get(0, "");
  const auto needs_string = [&](const Value& a) -> const std::string& {
    if (!a.string()) fail(fmt::format("'{}' of a string with {}", name, a.kind_name()), line);
    return *a.string();
  };
  // startswith and endswith also take a tuple.
  const auto any_of = [&](auto matches) {
    if (!first.list()) return matches(needs_string(first));
    return std::ranges::any_of(*first.list(),
                               [&](const Value& a) { return matches(needs_string(a)); });
  };
  if (name == "startswith") return any_of([&](const std::string& a) { return s->starts_with(a); });
  if (name == "endswith") return any_of([&](const std::string& a) { return s->ends_with(a); });
  const std::string_view set = first.string() ? std::string_view(*first.string()) : kSpaces;
  if (name == "strip") return Value(stripped(*s, set, true, true));
  if (name == "lstrip") return Value(stripped(*s, set, true, false));
  if (name == "rstrip") return Value(stripped(*s, set, false, true));
  if (name == "split") {
    const Value most = args.get(1, "maxsplit");
    if (first.is_undefined() || first.is_none()) return split_at_spaces(*s);
    if (needs_string(first).empty()) fail("split with an empty separator", line);
    return split_at(*s, *first.string(), most.is_number() ? most.whole() : -1);
  }
  if (name == "replace") {
    std::string out = replaced(*s, needs_string(first), needs_string(args.get(1, "new")));
    check_size(out.size(), line);
    return Value(std::move(out));
  }
  if (name == "find") {
    const std::size_t at = s->find(needs_string(first));
    return at == std::string::npos ? Value(int64_t{-1}) : Value(static_cast<int64_t>(at));
  }
  if (name == "upper" || name == "lower" || name == "title" || name == "capitalize")
    return Value(cased(*s, name));
  fail(fmt::format("the method '{}' of a string is not supported", name), line);
}

}  // namespace tilewright::tokens::jinja
