#include "tilewright/frontend/evaluate/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/environment.h"

namespace tilewright::frontend {

std::optional<int64_t> Value::integer() const {
  const auto* e = as<ir::Expr>();
  if (!e || !e->is_constant()) return std::nullopt;
  return e->constant();
}

std::optional<double> Value::number() const {
  if (const auto* d = as<double>()) return *d;
  if (const auto i = integer()) return static_cast<double>(*i);
  if (const auto* b = as<bool>()) return *b ? 1.0 : 0.0;
  return std::nullopt;
}

List List::of(std::vector<Value> items, bool tuple) {
  return {std::make_shared<std::vector<Value>>(std::move(items)), tuple};
}

const Value* Dict::find(const Value& key) const {
  for (const auto& [k, v] : *data)
    if (equal(k, key).value_or(false)) return &v;
  return nullptr;
}

void Dict::set(Value key, Value value) {
  for (auto& [k, v] : *data)
    if (equal(k, key).value_or(false)) {
      v = std::move(value);
      return;
    }
  data->emplace_back(std::move(key), std::move(value));
}

const Value* Object::find(std::string_view name) const {
  const auto it = std::ranges::find(*fields, name, &std::pair<std::string, Value>::first);
  return it == fields->end() ? nullptr : &it->second;
}

void Object::set(std::string_view name, Value value) {
  const auto it = std::ranges::find(*fields, name, &std::pair<std::string, Value>::first);
  if (it != fields->end())
    it->second = std::move(value);
  else
    fields->emplace_back(std::string(name), std::move(value));
}

std::string kind_text(const Value& v) {
  constexpr const char* kKinds[] = {
      "None",        "a boolean",         "an integer",       "a number",     "a string",
      "a data type", "a word of pl",      "a dynamic size",   "a tensor",     "a float",
      "a condition", "a function",        "a list",           "a dictionary", "a class",
      "an object",   "a module",          "a name of Python", "a torch tensor", "a task id",
      "an unknown value", "a refused value"};
  static_assert(std::size(kKinds) == std::variant_size_v<decltype(Value::data)>);
  if (const auto* l = v.as<List>(); l && l->tuple) return "a tuple";
  return kKinds[v.data.index()];
}

namespace {

// How much of two values is compared before it counts as undecided.
struct Effort {
  int depth = 100;
  int64_t parts = 1 << 18;
};

std::optional<bool> equal_within(const Value& a, const Value& b, Effort& effort) {
  if (const auto *s = a.as<std::string>(), *t = b.as<std::string>(); s && t) return *s == *t;
  if (const auto x = a.number(), y = b.number(); x && y) {
    if (a.integer() && b.integer()) return a.integer() == b.integer();
    return *x == *y;
  }
  if (a.data.index() != b.data.index()) {
    const bool open = a.as<ir::Expr>() || b.as<ir::Expr>() || a.as<ir::Cond>() ||
                      b.as<ir::Cond>() || a.as<Unknown>() || b.as<Unknown>() ||
                      a.as<Dynamic>() || b.as<Dynamic>();
    return open && !a.as<None>() && !b.as<None>() ? std::nullopt : std::optional(false);
  }
  if (a.as<None>()) return true;
  if (const auto* t = a.as<DType>()) return *t == *b.as<DType>();
  if (const auto* w = a.as<Word>()) return w->path == b.as<Word>()->path;
  if (const auto* d = a.as<Dynamic>()) return d->name == b.as<Dynamic>()->name;
  if (const auto* o = a.as<Outside>()) return o->path == b.as<Outside>()->path;
  if (const auto* c = a.as<Class>()) return c->info == b.as<Class>()->info;
  if (const auto* f = a.as<Function>())
    return f->def == b.as<Function>()->def && f->lambda == b.as<Function>()->lambda;
  if (--effort.parts < 0 || effort.depth <= 0) return std::nullopt;
  --effort.depth;
  struct Leave {
    int& depth;
    ~Leave() { ++depth; }
  } const leave{effort.depth};
  if (const auto* l = a.as<List>()) {
    const List& m = *b.as<List>();
    if (l->data == m.data) return true;
    if (l->items().size() != m.items().size()) return false;
    for (std::size_t i = 0; i < l->items().size(); ++i) {
      const auto same = equal_within(l->items()[i], m.items()[i], effort);
      if (!same || !*same) return same;
    }
    return true;
  }
  if (const auto* o = a.as<Object>()) {
    const Object& m = *b.as<Object>();
    if (o->fields == m.fields) return true;
    if (!o->type || o->type != m.type) return false;
    if (o->type->find("__eq__")) return std::nullopt;
    if (!o->type->dataclass && !o->type->named_tuple) return false;
    for (const auto& [name, value] : *o->fields) {
      const Value* other = m.find(name);
      const auto same = other ? equal_within(value, *other, effort) : std::optional(false);
      if (!same || !*same) return same;
    }
    return true;
  }
  return std::nullopt;
}

}  // namespace

std::optional<bool> equal(const Value& a, const Value& b) {
  Effort effort;
  return equal_within(a, b, effort);
}

namespace {

// What a value shares with its copies; null when nothing.
const void* shared_part(const Value& v) {
  if (const auto* l = v.as<List>()) return l->data.get();
  if (const auto* d = v.as<Dict>()) return d->data.get();
  if (const auto* o = v.as<Object>()) return o->fields.get();
  return nullptr;
}

}  // namespace

bool holds(const Value& whole, const Value& part, int64_t& looked_at) {
  const void* wanted = shared_part(part);
  if (!wanted) return false;
  std::vector<const Value*> ahead{&whole};
  std::set<const void*> seen;
  while (!ahead.empty()) {
    const Value& v = *ahead.back();
    ahead.pop_back();
    ++looked_at;
    if (const auto* f = v.as<Function>(); f && f->self) ahead.push_back(f->self.get());
    const void* here = shared_part(v);
    if (here == wanted) return true;
    if (!here || !seen.insert(here).second) continue;
    if (const auto* l = v.as<List>())
      for (const Value& item : l->items()) ahead.push_back(&item);
    if (const auto* d = v.as<Dict>())
      for (const auto& [key, value] : *d->data) ahead.insert(ahead.end(), {&key, &value});
    if (const auto* o = v.as<Object>())
      for (const auto& [name, value] : *o->fields) ahead.push_back(&value);
  }
  return false;
}

// A loop may compute with an unknown value as often as it likes: its places are told once, and of a
// long way the first ones and the last.
Value unknown(std::string what, Place place, std::shared_ptr<const Cause> from) {
  constexpr int kMostLinks = 64;
  constexpr int kLoopPlaces = 8;
  int looked = 0;
  for (const Cause* c = from.get(); c && looked < kLoopPlaces; c = c->from.get(), ++looked)
    if (place.known() && c->place == place) return {Unknown{std::move(from)}};
  if (from && from->links == kMostLinks) from = from->from;
  const int links = from ? from->links + 1 : 1;
  return {Unknown{std::make_shared<const Cause>(
      Cause{std::move(what), std::move(place), std::move(from), links})}};
}

std::string cause_text(const Unknown& u) {
  if (!u.cause) return "it is not evaluated";
  std::vector<const Cause*> chain;
  for (const Cause* c = u.cause.get(); c; c = c->from.get()) chain.push_back(c);
  constexpr std::size_t kShown = 4;
  std::string out = chain.back()->what;
  if (chain.back()->place.known()) out += fmt::format(" ({})", chain.back()->place.text());
  std::vector<std::string> through;
  for (std::size_t i = chain.size() - 1; i-- > 0 && through.size() < kShown;)
    if (chain[i]->place.known() && !(chain[i]->place == chain.back()->place))
      through.push_back(chain[i]->place.text());
  if (!through.empty()) out += fmt::format(", through {}", join(through, ", "));
  return out;
}

}  // namespace tilewright::frontend
