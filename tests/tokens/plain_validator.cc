#include "plain_validator.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <stdexcept>
#include <string>

namespace tokens_test {
namespace {

using nlohmann::json;
using Schema = nlohmann::ordered_json;

bool has_type(const json& d, const std::string& type) {
  if (type == "null") return d.is_null();
  if (type == "boolean") return d.is_boolean();
  if (type == "string") return d.is_string();
  if (type == "array") return d.is_array();
  if (type == "object") return d.is_object();
  if (type == "number") return d.is_number();
  if (type == "integer")
    return d.is_number_integer() ||
           (d.is_number() && d.get<double>() == std::floor(d.get<double>()));
  throw std::runtime_error("type " + type);
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// The few formats that are tested, roughly: the exact ones have tests of their own.
bool has_format(const std::string& text, const std::string& format) {
  if (format == "date") return std::regex_match(text, std::regex(R"(\d{4}-\d\d-\d\d)"));
  if (format == "uuid") return text.size() == 36 && std::ranges::count(text, '-') == 4;
  if (format == "ipv4") return std::ranges::count(text, '.') == 3;
  throw std::runtime_error("format " + format);
}

bool keyword_holds(const json& d, const std::string& key, const Schema& value, const Schema& schema,
                   const Schema& root) {
  const auto ok = [&](const json& part, const Schema& s) { return satisfies(part, s, root); };
  const auto count_ok = [&](const Schema& list) {
    return std::ranges::count_if(list, [&](const Schema& s) { return ok(d, s); });
  };
  if (key == "type") {
    if (value.is_string()) return has_type(d, value);
    return std::ranges::any_of(value, [&](const Schema& t) { return has_type(d, t); });
  }
  if (key == "const") return d == json(value);
  if (key == "enum")
    return std::ranges::any_of(value, [&](const Schema& v) { return d == json(v); });
  if (key == "anyOf") return count_ok(value) >= 1;
  if (key == "oneOf") return count_ok(value) == 1;
  if (key == "allOf") return count_ok(value) == static_cast<std::ptrdiff_t>(value.size());
  if (key == "$ref") {
    const std::string pointer = value.get<std::string>().substr(1);
    return ok(d, root[Schema::json_pointer(pointer)]);
  }
  if (d.is_number()) {
    const double x = d, bound = value.is_number() ? value.get<double>() : 0;
    if (key == "minimum") return x >= bound;
    if (key == "maximum") return x <= bound;
    if (key == "exclusiveMinimum") return x > bound;
    if (key == "exclusiveMaximum") return x < bound;
  }
  if (d.is_string()) {
    const std::string text = d;
    if (key == "minLength") return characters(text) >= value.get<std::size_t>();
    if (key == "maxLength") return characters(text) <= value.get<std::size_t>();
    if (key == "pattern") return std::regex_search(text, std::regex(value.get<std::string>()));
    if (key == "format") return has_format(text, value);
  }
  if (d.is_array()) {
    const std::size_t prefix = schema.value("prefixItems", Schema::array()).size();
    if (key == "minItems") return d.size() >= value.get<std::size_t>();
    if (key == "maxItems") return d.size() <= value.get<std::size_t>();
    if (key == "prefixItems") {
      for (std::size_t i = 0; i < std::min(prefix, d.size()); ++i)
        if (!ok(d[i], value[i])) return false;
      return true;
    }
    if (key == "items") {
      for (std::size_t i = prefix; i < d.size(); ++i)
        if (!ok(d[i], value)) return false;
      return true;
    }
  }
  if (d.is_object()) {
    if (key == "required")
      return std::ranges::all_of(value, [&](const Schema& name) { return d.contains(name); });
    if (key == "properties") {
      for (const auto& [name, s] : value.items())
        if (d.contains(name) && !ok(d[name], s)) return false;
      return true;
    }
    if (key == "additionalProperties") {
      const Schema declared = schema.value("properties", Schema::object());
      for (const auto& [name, part] : d.items())
        if (!declared.contains(name) && !ok(part, value)) return false;
      return true;
    }
  }
  return true;  // of another type, or an annotation
}

}  // namespace

bool satisfies(const json& document, const Schema& schema, const Schema& root) {
  if (schema.is_boolean()) return schema.get<bool>();
  for (const auto& [key, value] : schema.items())
    if (!keyword_holds(document, key, value, schema, root)) return false;
  return true;
}

}  // namespace tokens_test
