#include "tilewright/harness/tiling_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json.h"
#include "tilewright/base/text.h"
#include "tilewright/harness/files.h"

namespace tilewright::harness {
namespace {

constexpr const char* kFormat = "tilewright-tiling";
constexpr int kVersion = 1;

[[noreturn]] void refuse(const std::string& path, const Json& at, const std::string& what) {
  user_error("tiling", what, fmt::format("at {}:{}", path, at.line),
             "a tiling file is what tune wrote: program, shape, platform and keys", "tune again");
}

const Json& member(const std::string& path, const Json& object, const char* key, Json::Kind kind) {
  const Json* m = object.find(key);
  if (!m) refuse(path, object, fmt::format("no member {}", quoted(key)));
  if (m->kind != kind)
    refuse(path, *m, fmt::format("member {} is {}, not {}", quoted(key), json_kind_name(m->kind),
                                 json_kind_name(kind)));
  return *m;
}

}  // namespace

std::string tiling_text(const TilingFile& t) {
  nlohmann::ordered_json j;
  j["format"] = kFormat;
  j["version"] = kVersion;
  j["program"] = t.program;
  j["shape"] = t.shape;
  j["platform"] = t.platform;
  j["set"] = t.set;
  j["time_us"] = t.time_us;
  j["default_us"] = t.default_us;
  return j.dump(2) + "\n";
}

TilingFile read_tiling(const std::string& path) {
  const Json j = parse_json(read_text(path), path);
  const auto text = [&](const char* key) { return member(path, j, key, Json::Kind::String).string; };
  const auto number = [&](const char* key) { return member(path, j, key, Json::Kind::Number).number; };
  if (text("format") != kFormat)
    refuse(path, j, fmt::format("the format is {}, not {}", tilewright::quoted(text("format")), tilewright::quoted(kFormat)));
  if (number("version") != kVersion)
    refuse(path, j, fmt::format("version {:g} is unknown; this is version {}", number("version"), kVersion));
  TilingFile t{text("program"), text("shape"), text("platform"), {}, number("time_us"), number("default_us")};
  const Json& set = member(path, j, "set", Json::Kind::Object);
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    const Json& v = set.items[i];
    if (v.kind != Json::Kind::Number || v.number != std::floor(v.number) || std::abs(v.number) > 0x1p53)
      refuse(path, v, fmt::format("key {} needs an integer", set.keys[i]));
    t.set[set.keys[i]] = static_cast<int64_t>(v.number);
  }
  return t;
}

}  // namespace tilewright::harness
