#include "tilewright/serve/fields.h"

#include <fmt/format.h>

#include <cmath>

#include "tilewright/base/text.h"
#include "tilewright/serve/api_error.h"

namespace tilewright::serve {

void refuse_kind(const std::string& path, std::string_view wanted, const Value& got) {
  const std::string name = path.empty() ? "the body" : path;
  refuse(path, fmt::format("{} is {}; {} is expected", name, kind_name(got), wanted),
         "invalid_type");
}

std::string element(const std::string& path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

Fields::Fields(const Value& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object.is_object()) refuse_kind(path_, "an object", object);
}

std::string Fields::path(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

const Value* Fields::find(std::string_view name) {
  known_.insert(name);
  const auto at = object_.find(std::string(name));
  return at == object_.end() || at->is_null() ? nullptr : &*at;
}

std::optional<bool> Fields::boolean(std::string_view name) {
  const Value* v = find(name);
  if (!v) return std::nullopt;
  if (!v->is_boolean()) refuse_kind(path(name), "true or false", *v);
  return v->get<bool>();
}

std::optional<double> Fields::number(std::string_view name, double low, double high) {
  const Value* v = find(name);
  if (!v) return std::nullopt;
  if (!v->is_number()) refuse_kind(path(name), "a number", *v);
  const double x = v->get<double>();
  if (!(x >= low && x <= high))
    refuse(path(name),
           fmt::format("{} is {}; {} to {} is allowed", path(name), v->dump(), low, high));
  return x;
}

std::optional<int64_t> Fields::integer(std::string_view name, int64_t low, int64_t high) {
  const Value* v = find(name);
  if (!v) return std::nullopt;
  if (!v->is_number()) refuse_kind(path(name), "a whole number", *v);
  // Clients of some languages write 5 as 5.0.
  const double x = v->get<double>();
  if (v->is_number_float() && x != std::floor(x)) refuse_kind(path(name), "a whole number", *v);
  const bool fits = v->is_number_unsigned() ? v->get<uint64_t>() <= uint64_t{INT64_MAX}
                                            : x >= -0x1p63 && x < 0x1p63;
  const int64_t i = fits ? v->get<int64_t>() : 0;
  if (!fits || i < low || i > high)
    refuse(path(name),
           fmt::format("{} is {}; {} to {} is allowed", path(name), v->dump(), low, high));
  return i;
}

std::optional<std::string> Fields::text(std::string_view name) {
  const Value* v = find(name);
  if (!v) return std::nullopt;
  if (!v->is_string()) refuse_kind(path(name), "a string", *v);
  return v->get<std::string>();
}

const Value& Fields::needed(std::string_view name) {
  const Value* v = find(name);
  if (!v)
    refuse(path(name), fmt::format("{} is missing", path(name)), "missing_required_parameter");
  return *v;
}

std::string Fields::needed_text(std::string_view name) {
  needed(name);
  return *text(name);
}

void Fields::ignore(std::initializer_list<std::string_view> names) { known_.insert(names); }

void Fields::only(std::string_view name, const Value& value, std::string_view why) {
  if (const Value* v = find(name); v && *v != value)
    refuse(path(name),
           fmt::format("{} is {}; only {} is supported: {}", path(name),
                       v->dump(-1, ' ', true, Value::error_handler_t::replace).substr(0, 60),
                       value.dump(), why),
           "unsupported_value");
}

void Fields::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (known_.contains(name)) continue;
    std::vector<std::string> candidates(known_.begin(), known_.end());
    refuse(path(name),
           fmt::format("{} is not a field of this request{}", path(name),
                       did_you_mean(name, candidates)),
           "unknown_parameter");
  }
}

std::size_t one_of(const std::string& value, std::initializer_list<std::string_view> choices,
                   const std::string& path) {
  std::size_t i = 0;
  std::vector<std::string> words;
  for (const std::string_view choice : choices) {
    if (value == choice) return i;
    words.push_back(quote(choice));
    ++i;
  }
  refuse(path,
         fmt::format("{} is {}; one of {} is expected", path, quote(value), join(words, ", ")));
}

std::vector<int32_t> token_ids(const Value& list, int64_t vocab, const std::string& path) {
  if (!list.is_array()) refuse_kind(path, "an array of token ids", list);
  std::vector<int32_t> ids;
  for (const Value& id : list) {
    if (!id.is_number_integer()) refuse_kind(element(path, ids.size()), "a token id", id);
    const bool fits = id.is_number_unsigned() && id.get<uint64_t>() < static_cast<uint64_t>(vocab);
    if (!fits)
      refuse(element(path, ids.size()),
             fmt::format("{} is {}; this model's tokens are 0 to {}", element(path, ids.size()),
                         id.dump(), vocab - 1));
    ids.push_back(id.get<int32_t>());
  }
  return ids;
}

}  // namespace tilewright::serve
