#include "schema_generator.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace tokens_test {
namespace {

using Schema = nlohmann::ordered_json;

// Patterns with texts that match them. std::regex reads them as well.
struct Sample {
  const char* pattern;
  std::vector<std::string> texts;
};
const std::array<Sample, 6> kPatternSamples{{
    {"^[a-z]{2,4}$", {"ab", "xyz", "word"}},
    {"^(yes|no|y)$", {"yes", "no", "y"}},
    {"[0-9]", {"a1", "7", "x 9 y"}},
    {"^\\d{3}-\\d{4}$", {"555-1234"}},
    {"^a.*z$", {"az", "a b z"}},
    {"^$|b+", {"", "abba"}},
}};
const std::array<Sample, 3> kFormatSamples{{
    {"date", {"2024-02-29", "1999-01-31"}},
    {"uuid", {"123e4567-e89b-12d3-a456-426614174000"}},
    {"ipv4", {"127.0.0.1"}},
}};

std::string quoted(const std::string& text) { return Schema(text).dump(); }

}  // namespace

std::string SchemaGenerator::name() {
  static const std::array<const char*, 12> kNames{"a",   "b",       "name", "names",
                                                  "id",  "value",   "",     "caf\xC3\xA9",
                                                  "x y", "q\"uote", "type", "n\n"};
  return kNames[below(kNames.size())];
}

Schema SchemaGenerator::schema() {
  Schema root = any_of(3);
  if (root.is_object() && chance(30)) {
    // A list whose items are perhaps the list again.
    root = {{"type", "object"},
            {"properties",
             {{"v", root}, {"next", {{"anyOf", {{{"$ref", "#"}}, {{"type", "null"}}}}}}}},
            {"required", {"next"}},
            {"additionalProperties", false}};
  }
  return root;
}

Schema SchemaGenerator::any_of(int depth) {
  if (chance(15)) {
    Schema list = Schema::array();
    for (std::size_t i = below(3) + 1; i > 0; --i) list.push_back(typed(depth));
    return {{"anyOf", list}};
  }
  return typed(depth);
}

Schema SchemaGenerator::typed(int depth) {
  switch (below(depth > 0 ? 10 : 7)) {
    case 0: return {{"type", "boolean"}};
    case 1: {
      Schema s{{"type", "integer"}};
      const int low = static_cast<int>(below(300)) - 150;
      if (chance(50)) s[chance(50) ? "minimum" : "exclusiveMinimum"] = low;
      if (chance(50)) s["maximum"] = low + 1 + static_cast<int>(below(1000));
      return s;
    }
    case 2: {
      Schema s{{"type", chance(30) ? Schema{"number", "null"} : Schema("number")}};
      if (chance(30)) s["minimum"] = static_cast<double>(below(100)) / 4;
      return s;
    }
    case 3: {
      Schema s{{"type", "string"}};
      if (chance(40)) s["minLength"] = below(4);
      if (chance(40)) s["maxLength"] = 4 + below(30);
      return s;
    }
    case 4:
      return {{"type", "string"},
              {"pattern", kPatternSamples[below(kPatternSamples.size())].pattern}};
    case 5: {
      if (chance(40))
        return {{"type", "string"},
                {"format", kFormatSamples[below(kFormatSamples.size())].pattern}};
      Schema values = Schema::array();
      for (std::size_t i = below(4) + 1; i > 0; --i)
        values.push_back(chance(30) ? Schema(below(20)) : Schema(name()));
      return {{"enum", values}};
    }
    case 6:
      return chance(30) ? Schema(true) : Schema{{"const", Schema{{"k", {1, nullptr, name()}}}}};
    case 7: {
      Schema s{{"type", "array"}, {"items", any_of(depth - 1)}};
      const std::size_t low = below(3);
      if (chance(40)) s["minItems"] = low;
      if (chance(60)) s["maxItems"] = low + below(3);
      if (chance(20)) s["prefixItems"] = {typed(depth - 1)};
      return s;
    }
    default: {
      Schema properties = Schema::object(), required = Schema::array();
      for (std::size_t i = below(5); i > 0; --i) {
        const std::string key = name();
        if (properties.contains(key)) continue;
        properties[key] = any_of(depth - 1);
        if (chance(50)) required.push_back(key);
      }
      Schema s{{"type", "object"}, {"properties", properties}, {"required", required}};
      if (chance(20)) s["additionalProperties"] = typed(0);
      if (chance(30)) s["additionalProperties"] = false;
      return s;
    }
  }
}

std::string SchemaGenerator::space() {
  switch (below(4)) {
    case 0: return " ";
    case 1: return "\n" + std::string(below(9), ' ');
    case 2: return "\n" + std::string(below(3), '\t');
    default: return "";
  }
}

std::string SchemaGenerator::list(const std::vector<std::string>& items, char open, char close) {
  std::string out(1, open);
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ",") + space() + items[i];
  return out + space() + close;
}

// Any spelling of any characters.
std::string SchemaGenerator::any_characters(std::size_t count) {
  static const std::array<const char*, 16> kSpellings{"a",
                                                      "the",
                                                      " ",
                                                      "\xC3\xA9",
                                                      "\xE4\xBD\xA0",
                                                      "\xF0\x9F\x98\x80",
                                                      "\\n",
                                                      "\\\"",
                                                      "\\u00e9",
                                                      "\\uD83D\\uDE00",
                                                      "/",
                                                      "\\/",
                                                      "0",
                                                      "{",
                                                      "]",
                                                      "\x7F"};
  std::string out;
  while (count > 0) {
    const std::string one = kSpellings[below(kSpellings.size())];
    const std::size_t size = one == "the" ? 3 : 1;
    if (size > count) continue;
    out += one;
    count -= size;
  }
  return out;
}

std::string SchemaGenerator::string_of(const Schema& s) {
  for (const auto& [key, samples] : {std::pair("pattern", std::span<const Sample>(kPatternSamples)),
                                     std::pair("format", std::span<const Sample>(kFormatSamples))})
    if (s.contains(key))
      for (const Sample& sample : samples)
        if (s[key] == sample.pattern) return quoted(sample.texts[below(sample.texts.size())]);
  const std::size_t low = s.value("minLength", 0), high = s.value("maxLength", low + 20);
  return '"' + any_characters(low + below(high - low + 1)) + '"';
}

std::string SchemaGenerator::any_value(int depth) {
  static const std::array<const char*, 6> kValues{"null",   "true",      "-12",
                                                  "1.5e+3", "\"x\\ty\"", "0"};
  const std::size_t kind = below(depth > 0 ? 8 : 6);
  if (kind < 6) return kValues[kind];
  std::vector<std::string> items;
  for (std::size_t i = below(3); i > 0; --i)
    items.push_back((kind == 6 ? "" : quoted(name()) + ": ") + any_value(depth - 1));
  return kind == 6 ? list(items, '[', ']') : list(items, '{', '}');
}

std::string SchemaGenerator::document(const Schema& schema) { return text_of(schema, schema, 6); }

std::string SchemaGenerator::text_of(const Schema& s, const Schema& root, int depth) {
  if (s.is_boolean()) return any_value(2);
  if (s.contains("$ref")) return text_of(root, root, depth - 1);
  if (s.contains("anyOf")) {
    const Schema& branches = s["anyOf"];
    // The last branch of a recursive schema ends it.
    return text_of(branches[depth <= 0 ? branches.size() - 1 : below(branches.size())], root,
                   depth);
  }
  const auto spelled = [&](const Schema& v) { return v.dump(); };
  if (s.contains("const")) {
    const Schema& k = s["const"]["k"];
    return list({"\"k\":" + list({spelled(k[0]), spelled(k[1]), spelled(k[2])}, '[', ']')}, '{',
                '}');
  }
  if (s.contains("enum")) return spelled(s["enum"][below(s["enum"].size())]);
  const Schema& type = s["type"];
  if (type.is_array()) return chance(50) ? "null" : s.contains("minimum") ? "25.5" : "12.5e0";
  if (type == "null") return "null";
  if (type == "boolean") return chance(50) ? "true" : "false";
  if (type == "integer") {
    int low = s.contains("minimum")            ? s["minimum"].get<int>()
              : s.contains("exclusiveMinimum") ? s["exclusiveMinimum"].get<int>() + 1
              : s.contains("maximum")          ? s["maximum"].get<int>() - 2000
                                               : -1000;
    const int high = s.value("maximum", low + 2000);
    return std::to_string(low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1)));
  }
  if (type == "number")
    return s.contains("minimum") ? std::to_string(30 + below(50)) + ".250" : "-0.5E-2";
  if (type == "string") return string_of(s);
  std::vector<std::string> items;
  if (type == "array") {
    const std::size_t low = s.value("minItems", 0), high = s.value("maxItems", low + 3);
    const std::size_t count = low + below(high - low + 1);
    for (std::size_t i = 0; i < count; ++i)
      items.push_back(
          text_of(i == 0 && s.contains("prefixItems") ? s["prefixItems"][0] : s["items"], root,
                  depth - 1));
    return list(items, '[', ']');
  }
  for (const auto& [key, value] : s["properties"].items()) {
    const Schema names = s.value("required", Schema::array());
    const bool required = std::find(names.begin(), names.end(), Schema(key)) != names.end();
    if (required || chance(50))
      items.push_back(quoted(key) + (chance(50) ? ": " : ":") + text_of(value, root, depth - 1));
  }
  const Schema more = s.value("additionalProperties", Schema(s["properties"].empty()));
  if (more != Schema(false) && chance(50) && !s["properties"].contains("more"))
    items.push_back("\"more\":" + text_of(more, root, depth - 1));
  return list(items, '{', '}');
}

}  // namespace tokens_test
