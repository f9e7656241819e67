// The fields of one object of a request, read one by one: each with its type and range, and at the
// end none that nobody asked for. Every mistake is a Refused that names the field by its path.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tilewright/serve/request_json.h"

namespace tilewright::serve {

class Fields {
 public:
  // `object` must outlive this. `path` is in front of its fields: "messages[0]", or empty.
  explicit Fields(const Value& object, std::string path = "");

  // Fields that are absent or null give nothing.
  const Value* find(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<double> number(std::string_view name, double low, double high);
  std::optional<int64_t> integer(std::string_view name, int64_t low, int64_t high);
  std::optional<std::string> text(std::string_view name);
  // Absent is refused for these.
  const Value& needed(std::string_view name);
  std::string needed_text(std::string_view name);

  // Fields whose value changes nothing here: clients send them to everybody.
  void ignore(std::initializer_list<std::string_view> names);
  // A field that is accepted with one value, the one that asks for what is done anyway.
  void only(std::string_view name, const Value& value, std::string_view why);
  // Refuses what is left.
  void finish() const;

  std::string path(std::string_view name) const;

 private:
  const Value& object_;
  std::string path_;
  std::unordered_set<std::string_view> known_;
};

// A field that has one of these texts.
std::size_t one_of(const std::string& value, std::initializer_list<std::string_view> choices,
                   const std::string& path);
[[noreturn]] void refuse_kind(const std::string& path, std::string_view wanted, const Value& got);
// An element of an array: "stop[3]".
std::string element(const std::string& path, std::size_t index);
// Token ids, each of this vocabulary.
std::vector<int32_t> token_ids(const Value& list, int64_t vocab, const std::string& path);

}  // namespace tilewright::serve
