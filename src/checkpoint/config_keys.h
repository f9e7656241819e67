// The key-values of a GGUF file that describe its model, with errors that name the key.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tilewright/checkpoint/config_rules.h"

namespace tilewright::checkpoint {

class Keys {
 public:
  Keys(const GgufFile& file, const std::string& origin) : file_(file), place_("at " + origin) {}

  void set_architecture(std::string_view a) { prefix_ = std::string(a) + "."; }
  const std::string& place() const { return place_; }

  const GgufValue* find(const std::string& key) const { return file_.find(prefix_ + key); }
  double number(const std::string& key) const {
    const GgufValue* v = find(key);
    if (!v) refuse_config(fmt::format("key {}{} is missing", prefix_, key), place_, kHelp);
    return as_number(*v, key);
  }
  double number(const std::string& key, double otherwise) const {
    const GgufValue* v = find(key);
    return v ? as_number(*v, key) : otherwise;
  }
  int64_t size(const std::string& key) const {
    return checked_size(number(key), prefix_ + key, place_);
  }
  int64_t size(const std::string& key, int64_t otherwise) const {
    return find(key) ? size(key) : otherwise;
  }

  static constexpr const char* kHelp = "download the file again; it is damaged or of another type";

 private:
  double as_number(const GgufValue& v, const std::string& key) const {
    const auto n = v.number();
    if (!n) refuse_config(fmt::format("key {}{} is not a number", prefix_, key), place_, kHelp);
    return *n;
  }

  const GgufFile& file_;
  std::string place_;
  std::string prefix_;
};

}  // namespace tilewright::checkpoint
