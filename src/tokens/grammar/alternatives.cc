#include "tilewright/tokens/grammar/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/base/text.h"
#include "tilewright/tokens/grammar/keywords.h"

namespace tilewright::tokens::grammar {
namespace {

constexpr std::size_t kLongestWay = 500;  // of schemas that lead to each other

// Whether branches of oneOf must be apart. Where this is being found out, it is not asked again.
enum class OneOf : uint8_t { Checked, Unchecked };

// Goes through the schemas that hold together, and splits where one offers several.
class Expansion {
 public:
  Expansion(Budget& budget, OneOf one_of) : budget_(budget), one_of_(one_of) {}

  std::vector<Alternative> run(const Schemas& schemas) {
    std::vector<Pending> pending;
    for (auto s = schemas.rbegin(); s != schemas.rend(); ++s) pending.push_back({*s, {}});
    expand(std::move(pending), {});
    return std::move(out_);
  }

 private:
  struct Pending {
    const SchemaNode* schema = nullptr;
    Schemas behind;  // the schemas whose $ref, allOf, ... led here
  };

  Schemas path_of(const Pending& p) const {
    Schemas path = p.behind;
    path.push_back(p.schema);
    return path;
  }

  void expand(std::vector<Pending> pending, Alternative so_far) {
    while (!pending.empty()) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      const SchemaNode& schema = *next.schema;
      budget_.work(1 + next.behind.size() + so_far.properties.size());
      if (schema.is(Json::Kind::Bool)) {
        if (!schema.boolean) return;
        continue;
      }
      if (!schema.is(Json::Kind::Object))
        refuse_schema(schema, fmt::format("{} is not a schema", json_kind_name(schema.kind)),
                      "a schema is an object, or true or false", "correct the schema");
      if (std::ranges::find(next.behind, next.schema) != next.behind.end())
        refuse_schema(schema, "the schema refers to itself and to nothing else",
                      "a schema may contain itself only inside of properties or items",
                      "take the $ref to the schema itself out of anyOf, allOf or $ref");
      if (next.behind.size() > kLongestWay)
        refuse_schema(schema, fmt::format("more than {} schemas lead to each other", kLongestWay),
                      "$ref, anyOf, oneOf and allOf form short chains", "shorten the chain");
      if (!add_keywords(schema, so_far, budget_)) return;
      const SchemaNode* choice = push_parts(schema, next, pending);
      if (!choice) continue;
      for (const SchemaNode& branch : choice->items) {
        std::vector<Pending> rest = pending;
        budget_.work(rest.size());
        rest.push_back({&branch, path_of(next)});
        expand(std::move(rest), so_far);
      }
      return;
    }
    budget_.nodes(16 + so_far.properties.size());  // about what it takes in memory
    out_.push_back(std::move(so_far));
  }

  // Adds what must hold as well; gives the list of which one must hold, if there is one. A second
  // list waits as a schema of its own.
  const SchemaNode* push_parts(const SchemaNode& schema, const Pending& from,
                               std::vector<Pending>& pending) {
    if (const SchemaNode* all = schema.find("allOf")) {
      require_list(*all, "allOf");
      for (auto part = all->items.rbegin(); part != all->items.rend(); ++part)
        pending.push_back({&*part, path_of(from)});
    }
    if (const SchemaNode* ref = schema.find("$ref"))
      pending.push_back({&target(*ref), path_of(from)});
    const SchemaNode* any = schema.find("anyOf");
    const SchemaNode* one = schema.find("oneOf");
    if (any && one)
      refuse_schema(*one, "\"oneOf\" stands beside \"anyOf\"",
                    "a schema has at most one of the two", "put one of them into \"allOf\"");
    if (any) require_list(*any, "anyOf");
    if (one) require_list(*one, "oneOf");
    if (one && one_of_ == OneOf::Checked) require_apart(*one);
    return any ? any : one;
  }

  static void require_list(const SchemaNode& at, const char* keyword) {
    if (!at.is(Json::Kind::Array) || at.items.empty())
      refuse_schema(at, fmt::format("\"{}\" is not a list of schemas", keyword),
                    fmt::format("\"{}\" is a list of at least one schema", keyword),
                    "correct the schema (JSON Schema 2020-12)");
  }

  static const SchemaNode& target(const SchemaNode& ref) {
    const SchemaNode* found = ref.is(Json::Kind::String) ? ref.document->find(ref.text) : nullptr;
    if (!found)
      refuse_schema(ref,
                    ref.is(Json::Kind::String)
                        ? fmt::format("$ref {} names nothing in the schema", quote(ref.text))
                        : "$ref is not a string",
                    "$ref is \"#\" or \"#/\" and a path inside of the same schema",
                    "put what it names into \"$defs\" of the schema");
    return *found;
  }

  // oneOf asks that the other branches do not hold. That is nothing to enforce where they cannot.
  void require_apart(const SchemaNode& one) {
    std::vector<std::vector<Alternative>> branches;
    for (const SchemaNode& branch : one.items)
      branches.push_back(Expansion(budget_, OneOf::Unchecked).run({&branch}));
    for (std::size_t i = 0; i < branches.size(); ++i)
      for (std::size_t k = 0; k < branches.size(); ++k) {
        if (i == k) continue;
        for (const Alternative& made : branches[i])
          for (const Alternative& other : branches[k])
            if (!never_both(made, other, budget_))
              refuse_schema(one.items[std::max(i, k)],
                            fmt::format("a document may satisfy branches {} and {} of \"oneOf\"",
                                        std::min(i, k), std::max(i, k)),
                            "branches of \"oneOf\" must differ in type, in a value that both "
                            "require, or in a property that only one may have",
                            "use \"anyOf\" if a document may satisfy several branches");
      }
  }

  Budget& budget_;
  OneOf one_of_;
  std::vector<Alternative> out_;
};

bool all_never_both(const Schemas& made, const Schemas& other, Budget& budget, int depth) {
  const auto a = Expansion(budget, OneOf::Unchecked).run(made);
  const auto b = Expansion(budget, OneOf::Unchecked).run(other);
  return std::ranges::all_of(a, [&](const Alternative& x) {
    return std::ranges::all_of(b, [&](const Alternative& y) {
      return never_both(x, y, budget, depth);
    });
  });
}

// True when a property decides that an object made for `made` is wrong for `other`.
bool objects_apart(const Alternative& made, const Alternative& other, Budget& budget, int depth) {
  constexpr int kDeepest = 3;
  for (const Property& p : other.properties)
    if (p.required && !made.find(p.name) && made.is_closed()) return true;
  if (other.additional.kind == Rest::Kind::None)
    for (const Property& p : made.properties)
      if (p.required && !other.find(p.name)) return true;
  // A value that tells them apart is seen at once; other properties may take long to compare.
  for (const int deepest : {depth, kDeepest})
    for (const Property& p : other.properties)
      if (const Property* mine = made.find(p.name);
          mine && (p.required || mine->required) && depth < kDeepest &&
          all_never_both(mine->schemas, p.schemas, budget, deepest == depth ? kDeepest : depth + 1))
        return true;
  return false;
}

bool ranges_apart(const NumberRange& a, const NumberRange& b) {
  const auto below = [](const std::optional<NumberBound>& high,
                        const std::optional<NumberBound>& low) {
    if (!high || !low) return false;
    return high->value < low->value ||
           (high->value == low->value && (high->exclusive || low->exclusive));
  };
  return below(a.high, b.low) || below(b.high, a.low);
}

bool value_is_outside(const SchemaNode& value, const Alternative& of) {
  if ((type_of_value(value) & of.types) == 0) return true;
  return of.values && std::ranges::none_of(*of.values, [&](const SchemaNode* v) {
           return same_value(*v, value);
         });
}

}  // namespace

std::vector<Alternative> alternatives_of(const Schemas& schemas, Budget& budget) {
  return Expansion(budget, OneOf::Checked).run(schemas);
}

Types type_of_value(const SchemaNode& value) {
  switch (value.kind) {
    case Json::Kind::Null: return kNull;
    case Json::Kind::Bool: return kBool;
    case Json::Kind::Number: {
      const auto d = decimal_of(value.text);
      return d && d->fraction.empty() ? kInteger : kFraction;
    }
    case Json::Kind::String: return kString;
    case Json::Kind::Array: return kArray;
    case Json::Kind::Object: return kObject;
  }
  return 0;
}

Types Alternative::made_types() const {
  return has_type || values || spoken_of == 0 ? types : types & spoken_of;
}

const Property* Alternative::find(const std::string& name) const {
  const auto at = std::ranges::find(properties, name, &Property::name);
  return at == properties.end() ? nullptr : &*at;
}

bool never_both(const Alternative& made, const Alternative& other, Budget& budget, int depth) {
  budget.work(1 + made.properties.size() * (1 + other.properties.size()));
  if (made.values && other.values) budget.work(made.values->size() * other.values->size());
  if (made.values)
    return std::ranges::all_of(*made.values, [&](const SchemaNode* v) {
      return (type_of_value(*v) & made.types) == 0 || value_is_outside(*v, other);
    });
  const Types common = made.made_types() & other.types;
  if (other.values)
    return std::ranges::all_of(*other.values, [&](const SchemaNode* v) {
      return (type_of_value(*v) & common) == 0;
    });
  if ((common & (kNull | kBool | kArray)) != 0) return false;
  if ((common & kNumber) != 0 && !ranges_apart(made.range, other.range)) return false;
  if ((common & kString) != 0 && made.min_length <= other.max_length &&
      other.min_length <= made.max_length)
    return false;
  return (common & kObject) == 0 || objects_apart(made, other, budget, depth);
}

}  // namespace tilewright::tokens::grammar
