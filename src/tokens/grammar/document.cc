#include "tilewright/tokens/grammar/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_reader.h"
#include "tilewright/base/text.h"
#include "tilewright/tokens/grammar/decimal.h"

namespace tilewright::tokens::grammar {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

SchemaNode read_node(JsonReader& reader) {
  SchemaNode node;
  node.kind = reader.peek();
  switch (node.kind) {
    case Json::Kind::Null: reader.null(); break;
    case Json::Kind::Bool: node.boolean = reader.boolean(); break;
    case Json::Kind::Number: node.text = reader.number_word(); break;
    case Json::Kind::String: node.text = reader.string(); break;
    case Json::Kind::Array:
      reader.begin_array();
      while (reader.next_item()) node.items.push_back(read_node(reader));
      break;
    case Json::Kind::Object: {
      reader.begin_object();
      std::set<std::string, std::less<>> seen;
      while (const auto key = reader.next_key()) {
        if (!seen.insert(std::string(*key)).second)
          reader.fail(fmt::format("the key {} is given twice", quote(*key)));
        node.keys.emplace_back(*key);
        node.items.push_back(read_node(reader));
      }
      break;
    }
  }
  return node;
}

void link(SchemaNode& node, const SchemaDocument* document) {
  node.document = document;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    node.items[i].parent = &node;
    node.items[i].place = i;
    link(node.items[i], document);
  }
}

// "~1" is "/", "~0" is "~" (RFC 6901); "%25" is "%" in a fragment (RFC 3986).
std::string unescaped(std::string_view part) {
  std::string plain;
  for (std::size_t i = 0; i < part.size(); ++i) {
    unsigned code = 0;
    const char* hex = part.data() + i + 1;
    if (part[i] == '%' && i + 2 < part.size() &&
        std::from_chars(hex, hex + 2, code, 16).ptr == hex + 2) {
      plain += static_cast<char>(code);
      i += 2;
    } else {
      plain += part[i];
    }
  }
  std::string out;
  for (std::size_t i = 0; i < plain.size(); ++i)
    if (plain[i] == '~' && i + 1 < plain.size() && (plain[i + 1] == '0' || plain[i + 1] == '1'))
      out += plain[++i] == '0' ? '~' : '/';
    else
      out += plain[i];
  return out;
}

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

const SchemaNode* SchemaNode::find(std::string_view key) const {
  const auto at = std::ranges::find(keys, key);
  return at == keys.end() ? nullptr : &items[static_cast<std::size_t>(at - keys.begin())];
}

std::string SchemaNode::path() const {
  if (!parent) return "#";
  return parent->path() + "/" +
         (parent->is(Json::Kind::Object) ? escaped(parent->keys[place]) : std::to_string(place));
}

std::string SchemaNode::where() const { return fmt::format("at {}, {}", document->origin, path()); }

const SchemaNode* SchemaDocument::find(std::string_view reference) const {
  if (!reference.starts_with('#')) return nullptr;
  reference.remove_prefix(1);
  const SchemaNode* node = &root;
  if (reference.empty()) return node;
  if (!reference.starts_with('/')) return nullptr;
  for (const std::string& part : split(reference.substr(1), '/')) {
    const std::string key = unescaped(part);
    if (node->is(Json::Kind::Array)) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
      const bool whole = error == std::errc() && end == key.data() + key.size();
      if (!whole || index >= node->items.size()) return nullptr;
      node = &node->items[index];
    } else {
      node = node->find(key);
      if (!node) return nullptr;
    }
  }
  return node;
}

std::unique_ptr<const SchemaDocument> read_schema(std::string_view text,
                                                  const std::string& origin) {
  if (text.size() > kMostBytes)
    user_error("schema-size",
               fmt::format("the schema has {}", human_bytes(static_cast<int64_t>(text.size()))),
               "at " + origin, fmt::format("a schema has at most {}", human_bytes(kMostBytes)),
               "shorten the schema; $ref lets parts be written once");
  auto document = std::make_unique<SchemaDocument>();
  document->origin = origin;
  try {
    JsonReader reader(text, document->origin);
    document->root = read_node(reader);
    reader.finish();
  } catch (const UserError& e) {
    user_error("json", e.diagnostic().what, e.diagnostic().where,
               "a schema must be JSON (RFC 8259), with each key at most once",
               "correct the text at or just before this line");
  }
  link(document->root, document.get());
  return document;
}

bool same_value(const SchemaNode& a, const SchemaNode& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  switch (a.kind) {
    case Json::Kind::Null: return true;
    case Json::Kind::Bool: return a.boolean == b.boolean;
    case Json::Kind::String: return a.text == b.text;
    case Json::Kind::Number: {
      const auto x = decimal_of(a.text), y = decimal_of(b.text);
      return x && y ? *x == *y : a.text == b.text;
    }
    case Json::Kind::Array:
      for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!same_value(a.items[i], b.items[i])) return false;
      return true;
    case Json::Kind::Object:
      for (std::size_t i = 0; i < a.items.size(); ++i) {
        const SchemaNode* other = b.find(a.keys[i]);
        if (!other || !same_value(a.items[i], *other)) return false;
      }
      return true;
  }
  return false;
}

}  // namespace tilewright::tokens::grammar
