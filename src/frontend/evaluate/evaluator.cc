#include "tilewright/frontend/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "tilewright/base/text.h"
#include "tilewright/frontend/torch/torch.h"

namespace tilewright::frontend {
namespace {

// An expression takes up to 1 KB of stack, under a sanitizer 3 KB; a thread has 8 MB.
constexpr int kDeepest = 2000;
constexpr int64_t kComparedPerPart = 8;

}  // namespace

Deeper::Deeper(World& world, const Source& source, At at) : depth_(world.depth) {
  if (depth_ >= kDeepest)
    refuse(source.place(at), "evaluate",
           fmt::format("expressions and blocks inside each other more than {} deep", kDeepest),
           "code outside programs is evaluated once, before the programs are read",
           "check the recursion");
  ++depth_;
}

const Value* CallValues::find(std::size_t position, std::string_view name) const {
  for (const auto& [k, v] : keywords)
    if (k == name) return &v;
  return position < positional.size() ? &positional[position] : nullptr;
}

std::string dotted_path(const Expr& e) {
  if (e.kind == ExprKind::Name) return std::string(e.text);
  if (e.kind != ExprKind::Attribute) return "";
  const std::string base = dotted_path(*e.parts[0]);
  return base.empty() ? "" : fmt::format("{}.{}", base, e.text);
}

const Unknown* first_unknown(const std::vector<Value>& values) {
  for (const Value& v : values)
    if (const auto* u = v.as<Unknown>()) return u;
  return nullptr;
}

std::optional<Value> Evaluator::scalar_arithmetic(std::string_view, const Value&, const Value&,
                                                  At) {
  return std::nullopt;
}

void Evaluator::unsupported(At at, const std::string& what, std::string help) const {
  fail(at, "unsupported", fmt::format("{} is not supported", what),
       "a program uses a subset of Python: names, numbers, calls, loops, branches and with-scopes",
       std::move(help));
}

// Values that double with every statement must end somewhere.
void Evaluator::require_small(std::size_t size, At at) const {
  if (size > static_cast<std::size_t>(kLongestList))
    fail(at, "constant", fmt::format("a value of more than {} parts", kLongestList),
         "constants are numbers, strings and short lists", "keep it shorter");
}

bool Evaluator::truth(const Value& v, At at) const {
  if (const auto* b = v.as<bool>()) return *b;
  if (const auto d = v.number()) return *d != 0;
  if (v.as<None>()) return false;
  if (const auto* s = v.as<std::string>()) return !s->empty();
  if (const auto* l = v.as<List>()) return !l->items().empty();
  if (const auto* d = v.as<Dict>()) return !d->data->empty();
  if (v.as<Function>() || v.as<Class>() || v.as<Object>() || v.as<Module>()) return true;
  if (v.as<Told>()) throw AlreadyTold();
  if (const auto* u = v.as<Unknown>())
    fail(at, "constant", "a condition that is not known at compile time",
         "this condition is evaluated before the program is built", cause_text(*u));
  fail(at, "constant",
       fmt::format("{} where a condition known at compile time is needed", kind_text(v)),
       "this condition is evaluated before the program is built",
       "use constants, or an if inside the program");
}

Value Evaluator::evaluate(const Expr& e) {
  const Deeper deeper(world_, *source_, e.at);
  switch (e.kind) {
    case ExprKind::Name: return name(e);
    case ExprKind::Number: return number(e);
    case ExprKind::FString: return formatted(e);
    case ExprKind::Attribute: return attribute(e);
    case ExprKind::Call: return call(e);
    case ExprKind::Subscript: return subscript(e);
    case ExprKind::Unary: return unary(e);
    case ExprKind::Binary: return binary(e);
    case ExprKind::Compare: return compare(e);
    case ExprKind::Logic: return logic(e);
    case ExprKind::Lambda: return lambda(e);
    case ExprKind::Assignment: return assignment(e);
    case ExprKind::Dict: return dictionary(e);
    case ExprKind::Comprehension: return comprehension(e);
    default: return evaluate_rest(e);
  }
}

Value Evaluator::evaluate_rest(const Expr& e) {
  switch (e.kind) {
    case ExprKind::String: return {e.string};
    case ExprKind::True: return {true};
    case ExprKind::False: return {false};
    case ExprKind::Ellipsis: unsupported(e.at, "'...' as a value", "write the value out");
    case ExprKind::Conditional: {
      const Value condition = evaluate(*e.parts[1]);
      if (const auto* u = condition.as<Unknown>())
        return unknown("a choice by an unknown value", place(e.at), u->cause);
      return evaluate(truth(condition, e.at) ? *e.parts[0] : *e.parts[2]);
    }
    case ExprKind::Tuple: return {List::of(list_items(e.parts), true)};
    case ExprKind::List: return {List::of(list_items(e.parts))};
    case ExprKind::Set: return {List::of(unique_items(list_items(e.parts), e.at))};
    case ExprKind::Slice: unsupported(e.at, "a slice outside a subscript", "write x[a:b]");
    case ExprKind::Starred: unsupported(e.at, "'*' here", "write the values out");
    case ExprKind::Unread:
      unsupported(e.at, fmt::format("'{}'", e.text), "write the value out");
    default: return {None{}};
  }
}

Value Evaluator::attribute(const Expr& e) {
  const std::string path = dotted_path(e);
  if (path.starts_with("pl.")) {
    const std::string word = path.substr(3);
    if (const auto dtype = parse_dtype(word)) return {*dtype};
    return {Word{word}};
  }
  return member(evaluate(*e.parts[0]), e.text, e.at);
}

Value Evaluator::number(const Expr& e) const {
  std::string digits;
  for (char c : e.text)
    if (c != '_') digits += c;
  const auto bad = [&]() {
    fail(e.at, "syntax", fmt::format("'{}' is not a number that fits 64 bits", e.text),
         "integers have 64 bits, floats are doubles", "check the digits");
  };
  int base = 10;
  std::string_view body = digits;
  if (digits.size() > 2 && digits[0] == '0' &&
      std::isalpha(static_cast<unsigned char>(digits[1])) && digits[1] != 'e' && digits[1] != 'E') {
    const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(digits[1])));
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
    if (base == 0) bad();
    body.remove_prefix(2);
  }
  if (base == 10 && digits.find_first_of(".eE") != std::string::npos) {
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (end != digits.c_str() + digits.size()) bad();
    return {value};
  }
  int64_t value = 0;
  const auto result = std::from_chars(body.data(), body.data() + body.size(), value, base);
  if (result.ec != std::errc() || result.ptr != body.data() + body.size()) bad();
  return {ir::Expr(value)};
}

// ---- strings -----------------------------------------------------------------------------------

namespace {

constexpr int kDeepestText = 50;  // lists inside each other

std::optional<std::string> text_at_depth(const Value& v, bool quoted, int depth) {
  if (const auto* s = v.as<std::string>()) return quoted ? fmt::format("'{}'", *s) : *s;
  if (const auto i = v.integer()) return std::to_string(*i);
  if (const auto* b = v.as<bool>()) return std::string(*b ? "True" : "False");
  if (v.as<None>()) return std::string("None");
  if (const auto* d = v.as<double>()) {
    std::string text = fmt::format("{}", *d);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  }
  const auto* list = v.as<List>();
  if (!list || depth > kDeepestText) return std::nullopt;
  std::string out = list->tuple ? "(" : "[";
  for (const Value& item : list->items()) {
    const auto text = text_at_depth(item, true, depth + 1);
    if (!text || out.size() > static_cast<std::size_t>(kLongestList)) return std::nullopt;
    if (out.size() > 1) out += ", ";
    out += *text;
  }
  if (list->tuple && list->items().size() == 1) out += ",";
  return out + (list->tuple ? ")" : "]");
}

}  // namespace

std::optional<std::string> python_text(const Value& v, bool quoted) {
  return text_at_depth(v, quoted, 0);
}

namespace {

// d, 04d, .3f and the like; nothing for what is not understood.
std::optional<std::string> with_format(const Value& v, std::string_view format) {
  const bool digits_only =
      format.find_first_not_of("0123456789.dfeg<>^ ,+x%") == std::string_view::npos;
  if (!digits_only || format.size() > 8) return std::nullopt;
  constexpr std::string_view kDigits = "0123456789";  // a width of a file name, not of a file
  for (std::size_t i = 0; i + 3 < format.size(); ++i)
    if (format.find_first_not_of(kDigits, i) >= i + 4) return std::nullopt;
  if (format.find_first_of(",%") != std::string_view::npos) return std::nullopt;
  try {
    const std::string pattern = fmt::format("{{:{}}}", format);
    if (const auto i = v.integer()) return fmt::format(fmt::runtime(pattern), *i);
    if (const auto* d = v.as<double>()) return fmt::format(fmt::runtime(pattern), *d);
    if (const auto* s = v.as<std::string>()) return fmt::format(fmt::runtime(pattern), *s);
  } catch (const fmt::format_error&) {  // a width that fits no such value
  }
  return std::nullopt;
}

}  // namespace

Value Evaluator::formatted(const Expr& e) {
  std::string out;
  for (const Expr* part : e.parts) {
    if (part->kind == ExprKind::String) {
      out += part->string;
      continue;
    }
    const Value v = evaluate(*part->parts[0]);
    if (const auto* u = v.as<Unknown>())
      return unknown("an f-string of an unknown value", place(e.at), u->cause);
    const auto text = part->text.empty() ? python_text(v, part->string == "r")
                                         : with_format(v, part->text);
    if (!text) return unknown(fmt::format("an f-string of {}", kind_text(v)), place(e.at));
    out += *text;
    require_small(out.size(), e.at);
  }
  return {std::move(out)};
}

// ---- lists, dictionaries, comprehensions -------------------------------------------------------

std::vector<Value> Evaluator::list_items(const std::vector<const Expr*>& parts) {
  std::vector<Value> items;
  items.reserve(parts.size());
  world_.spend(static_cast<int64_t>(parts.size()));
  for (const Expr* part : parts) {
    if (part->kind != ExprKind::Starred) {
      items.push_back(evaluate(*part));
      continue;
    }
    const Value list = evaluate(*part->parts[0]);
    const auto inner = items_of(list);
    if (const auto* u = list.as<Unknown>())
      unsupported(part->at, fmt::format("'*' of an unknown value ({})", cause_text(*u)),
                  "write the values out");
    if (!inner) unsupported(part->at, "'*' of a value that is not a list", "write the values out");
    items.insert(items.end(), inner->begin(), inner->end());
    require_small(items.size(), part->at);
  }
  return items;
}

void Evaluator::set_entry(Dict& dict, Value key, Value value, At at) {
  world_.spend(static_cast<int64_t>(dict.data->size()) / kComparedPerPart);
  step(at);
  require_small(dict.data->size(), at);
  dict.set(std::move(key), std::move(value));
}

const Value* Evaluator::entry(const Dict& dict, const Value& key) const {
  world_.spend(static_cast<int64_t>(dict.data->size()) / kComparedPerPart);
  return dict.find(key);
}

Value Evaluator::dictionary(const Expr& e) {
  Dict out{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  for (std::size_t i = 0; i + 1 < e.parts.size(); i += 2) {
    Value value = evaluate(*e.parts[i + 1]);
    if (e.parts[i]) {
      set_entry(out, evaluate(*e.parts[i]), std::move(value), e.at);
    } else if (const auto* inner = value.as<Dict>()) {
      for (const auto& [k, v] : *inner->data) set_entry(out, k, v, e.at);
    } else {
      return unknown(fmt::format("'**' of {}", kind_text(value)), place(e.at));
    }
  }
  return {std::move(out)};
}

CallValues Evaluator::arguments_of(const Expr& call) {
  CallValues out;
  out.positional = list_items({call.parts.begin() + 1, call.parts.end()});
  for (const Keyword& k : call.keywords) {
    Value v = evaluate(*k.value);
    if (!k.name.empty()) {
      out.keywords.emplace_back(std::string(k.name), std::move(v));
      continue;
    }
    const auto* dict = v.as<Dict>();
    if (!dict) unsupported(k.at, "'**' of a value that is not a dictionary", "write it out");
    for (const auto& [key, value] : *dict->data)
      if (const auto* s = key.as<std::string>()) out.keywords.emplace_back(*s, value);
  }
  return out;
}

std::vector<Value> Evaluator::unique_items(std::vector<Value> items, At at) {
  std::vector<Value> out;
  for (Value& v : items) {
    world_.spend(static_cast<int64_t>(out.size()) / kComparedPerPart);
    step(at);
    const auto same = [&](const Value& other) { return equal(v, other).value_or(false); };
    if (std::ranges::none_of(out, same)) out.push_back(std::move(v));
  }
  return out;
}

std::optional<std::vector<Value>> Evaluator::items_of(const Value& v) const {
  auto items = uncounted_items(v);
  if (items) world_.spend(static_cast<int64_t>(items->size()));
  return items;
}

std::optional<std::vector<Value>> Evaluator::uncounted_items(const Value& v) const {
  if (const auto* l = v.as<List>()) return l->items();
  std::vector<Value> out;
  if (const auto* d = v.as<Dict>()) {
    for (const auto& entry : *d->data) out.push_back(entry.first);
    return out;
  }
  if (const auto* o = v.as<Object>(); o && o->type && o->type->named_tuple) {
    for (const auto& field : *o->fields) out.push_back(field.second);
    return out;
  }
  if (const auto* s = v.as<std::string>()) {
    for (const char c : *s) out.push_back({std::string(1, c)});
    return out;
  }
  if (const auto* m = v.as<Made>(); m && !m->tensor->shape.empty()) {
    if (m->tensor->shape[0] > kLongestList) return std::nullopt;
    for (int64_t i = 0; i < m->tensor->shape[0]; ++i) {
      auto row = torch_item(*m, {{{.kind = TorchIndex::Kind::Position, .low = i}}});
      if (!row) return std::nullopt;
      out.push_back(std::move(*row));
    }
    return out;
  }
  return std::nullopt;
}

void Evaluator::bind_target(const Expr& target, const Value& value, Before& before) {
  if (target.kind == ExprKind::Name) {
    before.emplace_back(target.text, exchange(target.text, value));
    return;
  }
  if (target.kind != ExprKind::Tuple && target.kind != ExprKind::List)
    unsupported(target.at, "a loop variable that is not a name", "use a name");
  const auto items = items_of(value);
  const auto* u = value.as<Unknown>();
  if (!u && (!items || items->size() != target.parts.size()))
    fail(target.at, "unpack",
         fmt::format("cannot unpack {1} into {0}",
                     counted(static_cast<int64_t>(target.parts.size()), "name"),
                     items ? counted(static_cast<int64_t>(items->size()), "value")
                           : kind_text(value)),
         "unpacking needs one name per value", "use as many names as there are values");
  for (std::size_t i = 0; i < target.parts.size(); ++i)
    bind_target(*target.parts[i], u ? value : (*items)[i], before);
}

void Evaluator::comprehend(const Expr& e, std::size_t clause, std::vector<Value>& keys,
                           std::vector<Value>& values, std::optional<Value>& stopped) {
  if (clause == e.clauses.size()) {
    keys.push_back(evaluate(*e.parts[0]));
    if (e.parts.size() > 1) values.push_back(evaluate(*e.parts[1]));
    require_small(keys.size(), e.at);
    return;
  }
  const Clause& c = e.clauses[clause];
  const Value range = evaluate(*c.range);
  if (const auto* u = range.as<Unknown>()) {
    stopped = unknown("a comprehension over an unknown value", place(e.at), u->cause);
    return;
  }
  const auto items = items_of(range);
  if (!items)
    unsupported(c.range->at, fmt::format("a comprehension over {}", kind_text(range)),
                "use range(n) or a list");
  for (const Value& item : *items) {
    step(e.at);
    Before before;
    bind_target(*c.target, item, before);
    bool taken = true;
    for (const Expr* condition : c.conditions) {
      const Value v = evaluate(*condition);
      if (const auto* u = v.as<Unknown>()) {
        stopped = unknown("a comprehension with an unknown condition", place(e.at), u->cause);
        break;
      }
      taken = taken && truth(v, condition->at);
      if (!taken) break;
    }
    if (taken && !stopped) comprehend(e, clause + 1, keys, values, stopped);
    for (auto it = before.rbegin(); it != before.rend(); ++it)
      exchange(it->first, std::move(it->second));
    if (stopped) return;
  }
}

Value Evaluator::comprehension(const Expr& e) {
  std::vector<Value> keys, values;
  std::optional<Value> stopped;
  comprehend(e, 0, keys, values, stopped);
  if (stopped) return *stopped;
  if (e.parts.size() == 1)
    return {List::of(e.text == "{" ? unique_items(std::move(keys), e.at) : std::move(keys))};
  Dict out{std::make_shared<std::vector<std::pair<Value, Value>>>()};
  for (std::size_t i = 0; i < keys.size(); ++i) set_entry(out, keys[i], values[i], e.at);
  return {std::move(out)};
}

}  // namespace tilewright::frontend
