// Typed access to the members of Tilewright's own JSON files; every error names the line.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json.h"
#include "tilewright/base/text.h"

namespace tilewright::data {

class JsonMembers {
 public:
  // The parts of an error message besides what is wrong and where.
  struct Complaint {
    const char *code, *law, *help;
  };

  JsonMembers(std::string origin, Complaint complaint)
      : origin_(std::move(origin)), complaint_(complaint) {}

  [[noreturn]] void refuse(const Json& at, const std::string& what) const {
    user_error(complaint_.code, what, fmt::format("at {}:{}", origin_, at.line), complaint_.law,
               complaint_.help);
  }
  const Json& member(const Json& object, const char* key, Json::Kind kind) const {
    const Json* m = object.find(key);
    if (!m) refuse(object, fmt::format("no member {}", quote(key)));
    if (m->kind != kind)
      refuse(*m, fmt::format("member {} is {}, not {}", quote(key), json_kind_name(m->kind),
                             json_kind_name(kind)));
    return *m;
  }
  std::string string(const Json& object, const char* key) const {
    return member(object, key, Json::Kind::String).string;
  }
  int64_t integer(const Json& value) const {
    if (value.kind != Json::Kind::Number || value.number != std::floor(value.number) ||
        std::abs(value.number) > 0x1p53)
      refuse(value, "an integer is expected here");
    return static_cast<int64_t>(value.number);
  }
  std::map<std::string, int64_t> integers(const Json& object, const char* key) const {
    std::map<std::string, int64_t> out;
    const Json& m = member(object, key, Json::Kind::Object);
    for (std::size_t i = 0; i < m.items.size(); ++i) out[m.keys[i]] = integer(m.items[i]);
    return out;
  }

 private:
  std::string origin_;
  Complaint complaint_;
};

}  // namespace tilewright::data
