// A schema as it was written: JSON whose values know their path, and whose numbers keep their text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/json.h"

namespace tilewright::tokens::grammar {

struct SchemaDocument;

struct SchemaNode {
  Json::Kind kind = Json::Kind::Null;
  bool boolean = false;
  std::string text;               // a string's characters, or a number as it is written
  std::vector<std::string> keys;  // objects: keys[i] names items[i]
  std::vector<SchemaNode> items;  // arrays and objects
  const SchemaDocument* document = nullptr;
  const SchemaNode* parent = nullptr;
  std::size_t place = 0;  // among the items of its parent

  const SchemaNode* find(std::string_view key) const;  // null when absent or not an object
  std::string path() const;                            // "#/properties/age"
  std::string where() const;                           // "at ORIGIN, #/properties/age"
  bool is(Json::Kind k) const { return kind == k; }
};

// Its address stays: nodes point to their parents.
struct SchemaDocument {
  std::string origin;
  SchemaNode root;

  // What "#/$defs/X" names; null when nothing is there.
  const SchemaNode* find(std::string_view reference) const;
};

// Throws UserError for text that is not JSON, too large or too deep.
std::unique_ptr<const SchemaDocument> read_schema(std::string_view text, const std::string& origin);

// JSON values are equal when they mean the same: numbers by value, objects in any order.
bool same_value(const SchemaNode& a, const SchemaNode& b);

}  // namespace tilewright::tokens::grammar
