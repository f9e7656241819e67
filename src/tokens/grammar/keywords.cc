#include "tilewright/tokens/grammar/keywords.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/tokens/grammar/formats.h"

namespace tilewright::tokens::grammar {
namespace {

// Say something about a schema, and nothing about documents.
constexpr std::array<std::string_view, 14> kAnnotations{"title",       "description",  "default",
                                                        "examples",    "example",      "deprecated",
                                                        "readOnly",    "writeOnly",    "$comment",
                                                        "$schema",     "$id",          "$defs",
                                                        "definitions", "discriminator"};
// Read elsewhere: alternatives.cc.
constexpr std::array<std::string_view, 4> kCombining{"anyOf", "oneOf", "allOf", "$ref"};

const std::vector<std::string> kSupported{"type",
                                          "enum",
                                          "const",
                                          "properties",
                                          "required",
                                          "additionalProperties",
                                          "items",
                                          "prefixItems",
                                          "minItems",
                                          "maxItems",
                                          "minLength",
                                          "maxLength",
                                          "pattern",
                                          "format",
                                          "minimum",
                                          "maximum",
                                          "exclusiveMinimum",
                                          "exclusiveMaximum",
                                          "anyOf",
                                          "oneOf",
                                          "allOf",
                                          "$ref",
                                          "$defs",
                                          "title",
                                          "description",
                                          "default",
                                          "examples"};

[[noreturn]] void refuse_value(const SchemaNode& at, std::string_view keyword,
                               const std::string& wanted) {
  refuse_schema(at, fmt::format("{} of \"{}\" is not {}", json_kind_name(at.kind), keyword, wanted),
                fmt::format("\"{}\" is {}", keyword, wanted),
                "correct the schema (JSON Schema 2020-12)");
}

std::string help_for(std::string_view keyword) {
  if (keyword == "patternProperties") return "name the properties, or use additionalProperties";
  if (keyword == "nullable") return "write \"type\": [\"string\", \"null\"]";
  if (keyword == "additionalItems") return "use prefixItems, and items for what follows them";
  return "remove the keyword, and check the documents for what it asks";
}

const SchemaNode& require_kind(const SchemaNode& at, std::string_view keyword, Json::Kind kind) {
  if (!at.is(kind)) refuse_value(at, keyword, std::string(json_kind_name(kind)));
  return at;
}

bool is_schema(const SchemaNode& at) {
  return at.is(Json::Kind::Object) || at.is(Json::Kind::Bool);
}

const SchemaNode& require_schema(const SchemaNode& at, std::string_view keyword) {
  if (!is_schema(at)) refuse_value(at, keyword, "a schema: an object, or true or false");
  return at;
}

Types type_named(const SchemaNode& at) {
  static constexpr std::array<std::pair<std::string_view, Types>, 7> kNames{{{"null", kNull},
                                                                             {"boolean", kBool},
                                                                             {"integer", kInteger},
                                                                             {"number", kNumber},
                                                                             {"string", kString},
                                                                             {"array", kArray},
                                                                             {"object", kObject}}};
  for (const auto& [name, type] : kNames)
    if (at.is(Json::Kind::String) && at.text == name) return type;
  refuse_value(at, "type",
               "null, boolean, integer, number, string, array or object, or a list of these");
}

Types types_named(const SchemaNode& at) {
  if (!at.is(Json::Kind::Array)) return type_named(at);
  Types types = 0;
  for (const SchemaNode& item : at.items) types |= type_named(item);
  return types;
}

uint32_t count_of(const SchemaNode& at, std::string_view keyword) {
  const auto d = at.is(Json::Kind::Number) ? decimal_of(at.text) : std::nullopt;
  if (!d || d->negative || !d->fraction.empty())
    refuse_value(at, keyword, "a whole number from 0 on");
  // More than any text has is no limit.
  return d->whole.size() > 9 ? kUnlimited : static_cast<uint32_t>(std::stoul(d->whole));
}

void add_bound(const SchemaNode& at, std::string_view keyword, NumberRange& range) {
  const auto d = at.is(Json::Kind::Number) ? decimal_of(at.text) : std::nullopt;
  if (!d) refuse_value(at, keyword, "a number of at most 400 digits");
  const NumberBound bound{*d, keyword.starts_with("exclusive")};
  const bool low = keyword.ends_with("inimum");
  std::optional<NumberBound>& held = low ? range.low : range.high;
  if (!held) {
    held = bound;
    return;
  }
  const auto order = bound.value <=> held->value;
  if (order == 0) {
    held->exclusive |= bound.exclusive;
  } else if ((order > 0) == low) {
    held = bound;
  }
}

// Of two lists of values those that are in both.
void keep_values(Schemas values, const SchemaNode& at, Alternative& out, Budget& budget) {
  if (out.values) {
    budget.work(values.size() * out.values->size());
    std::erase_if(values, [&](const SchemaNode* v) {
      return std::ranges::none_of(*out.values,
                                  [&](const SchemaNode* other) { return same_value(*v, *other); });
    });
  }
  out.values = std::move(values);
  out.values_from = &at;
}

void append(Schemas& to, const Schemas& more) {
  for (const SchemaNode* s : more)
    if (std::ranges::find(to, s) == to.end()) to.push_back(s);
}

Rest rest_of(const SchemaNode& at, std::string_view keyword) {
  require_schema(at, keyword);
  if (at.is(Json::Kind::Bool) && !at.boolean) return {Rest::Kind::None, {}};
  return {Rest::Kind::Some, {&at}};
}

// What something that is not named must satisfy.
Schemas schemas_of(const Rest& rest) {
  static const SchemaNode kFalse = [] {
    SchemaNode node;
    node.kind = Json::Kind::Bool;
    return node;
  }();
  return rest.kind == Rest::Kind::None ? Schemas{&kFalse} : rest.schemas;
}

// What both ask of the rest.
Rest both(const Rest& a, const Rest& b) {
  if (a.kind == Rest::Kind::Unsaid) return b;
  if (b.kind == Rest::Kind::Unsaid) return a;
  if (a.kind == Rest::Kind::None || b.kind == Rest::Kind::None) return {Rest::Kind::None, {}};
  Rest out = a;
  append(out.schemas, b.schemas);
  return out;
}

struct ObjectPart {
  std::vector<Property> properties;
  Rest additional;
};

using PropertyIndex = std::map<std::string_view, std::size_t>;

PropertyIndex index_of(const std::vector<Property>& properties) {
  PropertyIndex index;
  for (std::size_t i = 0; i < properties.size(); ++i) index.emplace(properties[i].name, i);
  return index;
}

ObjectPart object_part(const SchemaNode& schema) {
  ObjectPart part;
  if (const SchemaNode* p = schema.find("properties")) {
    require_kind(*p, "properties", Json::Kind::Object);
    for (std::size_t i = 0; i < p->keys.size(); ++i)
      part.properties.push_back({p->keys[i], {&require_schema(p->items[i], "properties")}, false});
  }
  if (const SchemaNode* a = schema.find("additionalProperties"))
    part.additional = rest_of(*a, "additionalProperties");
  if (const SchemaNode* r = schema.find("required")) {
    require_kind(*r, "required", Json::Kind::Array);
    std::map<std::string, std::size_t> index;
    for (const Property& p : part.properties) index.emplace(p.name, index.size());
    for (const SchemaNode& name : r->items) {
      require_kind(name, "required", Json::Kind::String);
      const auto [at, is_new] = index.emplace(name.text, part.properties.size());
      if (is_new) part.properties.push_back({name.text, schemas_of(part.additional), true});
      part.properties[at->second].required = true;
    }
  }
  return part;
}

// The properties of both. One that only one of them names must satisfy the additionalProperties of
// the other.
std::vector<Property> joined_properties(const std::vector<Property>& a, const Rest& a_rest,
                                        const std::vector<Property>& b, const Rest& b_rest) {
  const PropertyIndex in_a = index_of(a), in_b = index_of(b);
  std::vector<Property> out;
  for (const Property& p : a) {
    out.push_back(p);
    if (const auto other = in_b.find(p.name); other != in_b.end()) {
      append(out.back().schemas, b[other->second].schemas);
      out.back().required |= b[other->second].required;
    } else {
      append(out.back().schemas, schemas_of(b_rest));
    }
  }
  for (const Property& p : b)
    if (!in_a.contains(p.name)) {
      out.push_back(p);
      append(out.back().schemas, schemas_of(a_rest));
    }
  return out;
}

void add_object(const SchemaNode& schema, Alternative& out) {
  const ObjectPart part = object_part(schema);
  out.properties =
      joined_properties(out.properties, out.additional, part.properties, part.additional);
  out.additional = both(out.additional, part.additional);
}

void add_array(const SchemaNode& schema, Alternative& out) {
  std::vector<Schemas> prefix;
  Rest items;
  if (const SchemaNode* p = schema.find("prefixItems")) {
    require_kind(*p, "prefixItems", Json::Kind::Array);
    for (const SchemaNode& item : p->items)
      prefix.push_back({&require_schema(item, "prefixItems")});
  }
  if (const SchemaNode* i = schema.find("items")) {
    if (i->is(Json::Kind::Array)) refuse_value(*i, "items", "a schema; lists are prefixItems");
    items = rest_of(*i, "items");
  }
  const auto at = [](const std::vector<Schemas>& list, const Rest& rest, std::size_t i) {
    return i < list.size() ? list[i] : schemas_of(rest);
  };
  std::vector<Schemas> joined;
  for (std::size_t i = 0; i < std::max(prefix.size(), out.prefix.size()); ++i) {
    joined.push_back(at(out.prefix, out.items, i));
    append(joined.back(), at(prefix, items, i));
  }
  out.prefix = std::move(joined);
  out.items = both(out.items, items);
}

// The types that a keyword speaks of, and what it asks; false for keywords of others.
bool add_keyword(std::string_view keyword, const SchemaNode& at, Alternative& out, Budget& budget) {
  const auto speak = [&](Types types) { out.spoken_of |= types; };
  if (keyword == "type") {
    out.types &= types_named(at);
    out.has_type = true;
  } else if (keyword == "enum") {
    require_kind(at, keyword, Json::Kind::Array);
    Schemas values;
    for (const SchemaNode& v : at.items) values.push_back(&v);
    keep_values(std::move(values), at, out, budget);
  } else if (keyword == "const") {
    keep_values({&at}, at, out, budget);
  } else if (keyword == "minimum" || keyword == "maximum" || keyword == "exclusiveMinimum" ||
             keyword == "exclusiveMaximum") {
    speak(kNumber);
    add_bound(at, keyword, out.range);
  } else if (keyword == "minLength") {
    speak(kString);
    out.min_length = std::max(out.min_length, count_of(at, keyword));
  } else if (keyword == "maxLength") {
    speak(kString);
    out.max_length = std::min(out.max_length, count_of(at, keyword));
  } else if (keyword == "pattern") {
    speak(kString);
    require_kind(at, keyword, Json::Kind::String);
    if (std::ranges::none_of(out.patterns, [&](const auto* p) { return p->text == at.text; }))
      out.patterns.push_back(&at);
  } else if (keyword == "format") {
    speak(kString);
    require_kind(at, keyword, Json::Kind::String);
    if (!find_format(at.text))
      refuse_schema(at, fmt::format("format {} is not supported", quote(at.text)),
                    "the formats are " + format_names(),
                    "use \"pattern\", or remove the format and check the strings yourself");
    if (std::ranges::none_of(out.formats, [&](const auto* f) { return f->text == at.text; }))
      out.formats.push_back(&at);
  } else if (keyword == "minItems") {
    speak(kArray);
    out.min_items = std::max(out.min_items, count_of(at, keyword));
  } else if (keyword == "maxItems") {
    speak(kArray);
    out.max_items = std::min(out.max_items, count_of(at, keyword));
  } else if (keyword == "items" || keyword == "prefixItems") {
    speak(kArray);  // read together: add_array
  } else if (keyword == "properties" || keyword == "required" ||
             keyword == "additionalProperties") {
    speak(kObject);  // read together: add_object
  } else {
    return false;
  }
  return true;
}

}  // namespace

void refuse_schema(const SchemaNode& at, const std::string& what, const std::string& law,
                   const std::string& help) {
  user_error("schema", what, at.where(), law, help);
}

bool add_keywords(const SchemaNode& schema, Alternative& out, Budget& budget) {
  for (std::size_t i = 0; i < schema.keys.size(); ++i) {
    const std::string& keyword = schema.keys[i];
    if (add_keyword(keyword, schema.items[i], out, budget)) continue;
    if (std::ranges::find(kAnnotations, keyword) != kAnnotations.end()) continue;
    if (std::ranges::find(kCombining, keyword) != kCombining.end()) continue;
    refuse_schema(schema.items[i],
                  fmt::format("keyword {} is not supported{}", quote(keyword),
                              did_you_mean(keyword, kSupported)),
                  "a grammar enforces every keyword of its schema; docs/structured.md lists them",
                  help_for(keyword));
  }
  add_array(schema, out);
  add_object(schema, out);
  return out.types != 0 && (!out.values || !out.values->empty());
}

}  // namespace tilewright::tokens::grammar
