// Methods of strings, lists, dictionaries and torch tensors.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/frontend/torch/torch.h"

namespace tilewright::frontend {
namespace {

std::optional<Value> string_method(const std::string& s, std::string_view method,
                                   const std::vector<Value>& a) {
  const auto* first = a.empty() ? nullptr : a[0].as<std::string>();
  if (method == "resolve" || method == "absolute" || method == "as_posix") return Value{s};
  if (method == "is_dir" || method == "is_file" || method == "exists") {
    std::error_code error;
    const auto status = std::filesystem::status(s, error);
    return Value{method == "is_dir"    ? std::filesystem::is_directory(status)
                 : method == "is_file" ? std::filesystem::is_regular_file(status)
                                       : std::filesystem::exists(status)};
  }
  if (method == "startswith" && first) return Value{s.starts_with(*first)};
  if (method == "endswith" && first) return Value{s.ends_with(*first)};
  if (method == "upper" || method == "lower") {
    std::string out = s;
    for (char& c : out)
      c = static_cast<char>(method == "upper" ? std::toupper(static_cast<unsigned char>(c))
                                              : std::tolower(static_cast<unsigned char>(c)));
    return Value{std::move(out)};
  }
  if (method == "strip") {
    const std::size_t from = s.find_first_not_of(" \t\n");
    if (from == std::string::npos) return Value{std::string()};
    return Value{s.substr(from, s.find_last_not_of(" \t\n") - from + 1)};
  }
  if (method == "isdigit")
    return Value{!s.empty() && s.find_first_not_of("0123456789") == std::string::npos};
  if (method == "replace" && a.size() == 2 && first && !first->empty() && a[1].as<std::string>()) {
    std::string out;
    for (std::size_t i = 0; i < s.size();) {
      if (s.compare(i, first->size(), *first) == 0) {
        out += *a[1].as<std::string>();
        i += first->size();
      } else {
        out += s[i++];
      }
      if (out.size() > static_cast<std::size_t>(kLongestList)) return std::nullopt;
    }
    return Value{std::move(out)};
  }
  if (method == "split") {
    std::vector<Value> out;
    const std::string separator = first ? *first : " ";
    if (separator.size() != 1) return std::nullopt;
    for (const std::string& part : split(s, separator[0]))
      if (first || !part.empty()) out.push_back({part});
    return Value{List::of(std::move(out))};
  }
  if (method == "join" && !a.empty() && a[0].as<List>()) {
    std::string out;
    for (const Value& v : a[0].as<List>()->items()) {
      const auto* part = v.as<std::string>();
      if (!part) return std::nullopt;
      if (&v != a[0].as<List>()->items().data()) out += s;
      out += *part;
      if (out.size() > static_cast<std::size_t>(kLongestList)) return std::nullopt;
    }
    return Value{std::move(out)};
  }
  return std::nullopt;
}

std::optional<Value> list_method(const Value& self, std::string_view method,
                                 const std::vector<Value>& a) {
  const List& list = *self.as<List>();
  std::vector<Value>& items = *list.data;
  if (method == "copy") return Value{List::of(items)};
  if ((method == "index" || method == "count") && a.size() == 1) {
    int64_t count = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!equal(items[i], a[0]).value_or(false)) continue;
      if (method == "index") return Value{ir::Expr(static_cast<int64_t>(i))};
      ++count;
    }
    if (method == "index") return std::nullopt;
    return Value{ir::Expr(count)};
  }
  if (list.tuple) return std::nullopt;
  const bool full = items.size() >= static_cast<std::size_t>(kLongestList);
  if ((method == "append" || method == "add") && a.size() == 1 && !full) {
    const auto same = [&](const Value& v) { return equal(v, a[0]).value_or(false); };
    if (method == "add" && std::ranges::any_of(items, same)) return Value{None{}};
    items.push_back(a[0]);
    return Value{None{}};
  }
  if (method == "extend" && a.size() == 1 && a[0].as<List>() && !full) {
    const std::vector<Value> more = a[0].as<List>()->items();
    items.insert(items.end(), more.begin(), more.end());
    return Value{None{}};
  }
  if (method == "insert" && a.size() == 2 && a[0].integer() && !full) {
    const auto at = std::clamp<int64_t>(*a[0].integer(), 0, static_cast<int64_t>(items.size()));
    items.insert(items.begin() + at, a[1]);
    return Value{None{}};
  }
  if (method == "pop" && !items.empty() && a.empty()) {
    Value last = items.back();
    items.pop_back();
    return last;
  }
  return std::nullopt;
}

std::optional<Value> dict_method(const Value& self, std::string_view method,
                                 const CallValues& args) {
  Dict dict = *self.as<Dict>();
  const std::vector<Value>& a = args.positional;
  if (method == "get" && !a.empty()) {
    const Value* v = dict.find(a[0]);
    return v ? *v : a.size() > 1 ? a[1] : Value{None{}};
  }
  if (method == "items" || method == "keys" || method == "values") {
    std::vector<Value> out;
    for (const auto& [k, v] : *dict.data)
      out.push_back(method == "keys"     ? k
                    : method == "values" ? v
                                         : Value{List::of({k, v}, true)});
    return Value{List::of(std::move(out))};
  }
  if (method == "copy") {
    Dict copy{std::make_shared<std::vector<std::pair<Value, Value>>>(*dict.data)};
    return Value{std::move(copy)};
  }
  if (method == "setdefault" && a.size() == 2) {
    if (!dict.find(a[0])) dict.set(a[0], a[1]);
    return *dict.find(a[0]);
  }
  if (method == "update") {
    if (!a.empty() && a[0].as<Dict>()) {
      const auto more = *a[0].as<Dict>()->data;
      for (const auto& [k, v] : more) dict.set(k, v);
    }
    for (const auto& [k, v] : args.keywords) dict.set({k}, v);
    return Value{None{}};
  }
  return std::nullopt;
}

}  // namespace

// copy.copy and copy.deepcopy. What is known only as a whole is its own copy.
Value Interpreter::copied(const Value& v, bool deep, At at) {
  const Deeper deeper(world_, *source_, at);
  step(at);
  items_of(v);  // counts them
  const auto part = [&](const Value& p) { return deep ? copied(p, true, at) : p; };
  if (const auto* l = v.as<List>()) {
    std::vector<Value> items;
    for (const Value& item : l->items()) items.push_back(part(item));
    return {List::of(std::move(items), l->tuple)};
  }
  if (const auto* d = v.as<Dict>()) {
    Dict out{std::make_shared<std::vector<std::pair<Value, Value>>>()};
    for (const auto& [key, value] : *d->data) out.data->emplace_back(key, part(value));
    return {std::move(out)};
  }
  const auto* o = v.as<Object>();
  if (!o || !o->type || o->type->enumeration) return v;
  Object out{o->type, std::make_shared<std::vector<std::pair<std::string, Value>>>()};
  for (const auto& [name, value] : *o->fields) out.fields->emplace_back(name, part(value));
  return {std::move(out)};
}

std::optional<Value> Interpreter::call_method(const Outside& o, const CallValues& args, At at) {
  const std::string_view path = o.path;
  const std::string_view method = path.substr(path.find('.') + 1);
  const Value& self = *o.self;
  if (path.starts_with("argparse.")) return call_parser(method, self, args, at);
  if (const auto* f = self.as<Function>()) return start_program(*f, args, at, true);
  if (const auto spec = spec_number(self); spec && method == "create_tensor")
    return initial_values(world_.specs[*spec], at);
  if (const auto* u = first_unknown(args.positional); u && !self.as<List>() && !self.as<Dict>())
    return unknown(fmt::format("{} of an unknown value", path), place(at), u->cause);
  for (const Value& v : args.positional)
    if (would_cycle(self, v)) return std::nullopt;
  for (const auto& [k, v] : args.keywords)
    if (would_cycle(self, v)) return std::nullopt;
  if (method == "copy" || method == "add" || method == "index" || method == "count" || self.as<Dict>())
    items_of(self);  // counts them
  if (const auto* s = self.as<std::string>()) return string_method(*s, method, args.positional);
  if (self.as<List>()) return list_method(self, method, args.positional);
  if (self.as<Dict>()) return dict_method(self, method, args);
  if (const auto* m = self.as<Made>()) return torch_method(*m, method, args);
  return std::nullopt;
}

}  // namespace tilewright::frontend
