// What a schema asks for, as a list of alternatives without anyOf, oneOf, allOf and $ref: the one
// place that knows the keywords.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/tokens/grammar/document.h"
#include "tilewright/tokens/grammar/nfa.h"
#include "tilewright/tokens/grammar/numbers.h"

namespace tilewright::tokens::grammar {

// All of them hold; without any, everything is right.
using Schemas = std::vector<const SchemaNode*>;

// Types as bits. A number is an integer or has a fraction.
using Types = uint8_t;
inline constexpr Types kNull = 1, kBool = 2, kInteger = 4, kFraction = 8, kString = 16, kArray = 32,
                       kObject = 64, kNumber = kInteger | kFraction, kAllTypes = 127;

struct Property {
  std::string name;
  Schemas schemas;
  bool required = false;
};

// What follows what the keywords of an object or an array name.
struct Rest {
  enum class Kind : uint8_t { Unsaid, Some, None };
  Kind kind = Kind::Unsaid;
  Schemas schemas;  // Some
};

struct Alternative {
  Types types = kAllTypes;
  bool has_type = false;                    // "type" was there
  Types spoken_of = 0;                      // types that other keywords speak of
  std::optional<Schemas> values;            // enum, const
  const SchemaNode* values_from = nullptr;  // where they stand

  NumberRange range;

  uint32_t min_length = 0, max_length = kUnlimited;
  std::vector<const SchemaNode*> patterns, formats;  // all different

  std::vector<Schemas> prefix;
  Rest items;
  uint32_t min_items = 0, max_items = kUnlimited;

  std::vector<Property> properties;  // in the order of the documents
  Rest additional;

  // The types that documents of this grammar have: a schema without "type" that has keywords of one
  // type means that type.
  Types made_types() const;
  const Property* find(const std::string& name) const;
  bool is_any_object() const { return properties.empty() && additional.kind == Rest::Kind::Unsaid; }
  // The objects that are made have no names but those of `properties`.
  bool is_closed() const {
    return additional.kind == Rest::Kind::None ||
           (additional.kind == Rest::Kind::Unsaid && !properties.empty());
  }
};

// Throws UserError for keywords that are not supported and values that have no meaning.
std::vector<Alternative> alternatives_of(const Schemas& schemas, Budget& budget);

// True when it is sure that no document made for `made` is right for `other`.
bool never_both(const Alternative& made, const Alternative& other, Budget& budget, int depth = 0);

Types type_of_value(const SchemaNode& value);

}  // namespace tilewright::tokens::grammar
