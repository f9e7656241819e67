#include "tilewright/serve/request_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "tilewright/base/json.h"
#include "tilewright/serve/api_error.h"

namespace tilewright::serve {
namespace {

// Builds the tree without the search for the key that the library's own objects make for each
// member.
class TreeBuilder {
 public:
  using number_integer_t = Value::number_integer_t;
  using number_unsigned_t = Value::number_unsigned_t;
  using number_float_t = Value::number_float_t;
  using string_t = Value::string_t;
  using binary_t = Value::binary_t;

  explicit TreeBuilder(std::string_view text) : text_(text) {}

  Value take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool v) { return add(v); }
  bool number_integer(number_integer_t v) { return add(v); }
  bool number_unsigned(number_unsigned_t v) { return add(v); }
  bool number_float(number_float_t v, const string_t&) { return add(v); }
  bool string(string_t& v) { return add(std::move(v)); }
  bool binary(binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Value::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Value::array()); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    if (!open_.back().names.insert(name).second)
      refuse(name, fmt::format("the body gives the field {} twice", name), "invalid_json");
    open_.back().key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto line = 1 + std::ranges::count(before, '\n');
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
    refuse("",
           fmt::format("the body is not JSON: the mistake is at line {}, column {}", line,
                       before.size() - line_start + 1),
           "invalid_json");
  }

 private:
  struct Open {
    Value value;
    std::string key = {};
    std::unordered_set<std::string> names = {};
  };

  bool add(Value v) {
    if (open_.empty()) {
      root_ = std::move(v);
    } else if (Open& around = open_.back(); around.value.is_array()) {
      around.value.get_ref<Value::array_t&>().push_back(std::move(v));
    } else {
      // As a vector, which it is: members were compared in `key`.
      static_cast<std::vector<std::pair<const std::string, Value>>&>(
          around.value.get_ref<Value::object_t&>())
          .emplace_back(std::move(around.key), std::move(v));
    }
    return true;
  }
  bool open(Value v) {
    if (open_.size() == kMaxJsonDepth)
      refuse("", fmt::format("the body is nested more than {} deep", kMaxJsonDepth),
             "invalid_json");
    open_.push_back({std::move(v)});
    return true;
  }
  bool close() {
    Value done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }

  std::string_view text_;
  Value root_;
  std::vector<Open> open_;
};

}  // namespace

Value parse_body(std::string_view body) {
  TreeBuilder builder(body);
  Value::sax_parse(body, &builder);
  return builder.take();
}

std::string_view kind_name(const Value& v) {
  if (v.is_null()) return "null";
  if (v.is_boolean()) return v.get<bool>() ? "true" : "false";
  if (v.is_number()) return "a number";
  if (v.is_string()) return "a string";
  return v.is_array() ? "an array" : "an object";
}

}  // namespace tilewright::serve
