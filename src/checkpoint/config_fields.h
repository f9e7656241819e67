// The fields of config.json, or of an object in it, with errors that name the field and its line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tilewright/base/json.h"
#include "tilewright/checkpoint/config_rules.h"

namespace tilewright::checkpoint {

// `root` is an object and outlives this.
class Fields {
 public:
  Fields(const Json& root, const std::string& origin) : root_(root), origin_(origin) {}

  const Json* stated(std::string_view key) const { return root_.find(key); }
  // Null counts as absent, as it does for the programs that write these files.
  const Json* find(std::string_view key) const {
    const Json* j = root_.find(key);
    return j && j->kind != Json::Kind::Null ? j : nullptr;
  }
  const Json& need(std::string_view key, Json::Kind kind) const {
    const Json* j = find(key);
    if (!j)
      refuse_config(fmt::format("{} is missing", key), "at " + origin_,
                    "use the config.json that belongs to the weights");
    if (j->kind != kind) wrong_kind(key, *j, kind);
    return *j;
  }
  int64_t size(std::string_view key) const {
    const Json& j = need(key, Json::Kind::Number);
    return checked_size(j.number, std::string(key), place(j));
  }
  int64_t size(std::string_view key, int64_t otherwise) const {
    return find(key) ? size(key) : otherwise;
  }
  double number(std::string_view key) const { return need(key, Json::Kind::Number).number; }
  bool boolean(std::string_view key, bool otherwise) const {
    return find(key) ? need(key, Json::Kind::Bool).boolean : otherwise;
  }
  double number(std::string_view key, double otherwise) const {
    return find(key) ? number(key) : otherwise;
  }
  const std::string& origin() const { return origin_; }
  std::string place() const { return "at " + origin_; }
  std::string place(const Json& j) const { return fmt::format("at {}:{}", origin_, j.line); }

  // A feature of the layer that is not run must be absent or have the harmless value.
  void must_be_off(std::string_view key) const {
    if (boolean(key, false))
      refuse_config(fmt::format("{} is enabled, which is not supported", key), place(*find(key)),
                    "choose a model that does not use it");
  }

 private:
  [[noreturn]] void wrong_kind(std::string_view key, const Json& j, Json::Kind kind) const {
    refuse_config(fmt::format("{} is {}, not {}", key, json_kind_name(j.kind),
                              json_kind_name(kind)),
                  place(j), "use the config.json that belongs to the weights");
  }

  const Json& root_;
  const std::string& origin_;
};

}  // namespace tilewright::checkpoint
