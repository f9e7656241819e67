#include "tilewright/data/tiling_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/files.h"
#include "tilewright/base/json_text.h"
#include "tilewright/data/json_members.h"

namespace tilewright::data {
namespace {

constexpr const char* kTilingFormat = "tilewright-tiling";
constexpr int kTilingVersion = 1;

constexpr JsonMembers::Complaint kTilingComplaint{
    .code = "tiling",
    .law = "a tiling file is written by tune and holds a program, shape, platform and keys",
    .help = "run tune again"};

}  // namespace

std::string tiling_text(const TilingFile& t) {
  nlohmann::ordered_json j;
  j["format"] = kTilingFormat;
  j["version"] = kTilingVersion;
  j["program"] = t.program;
  j["shape"] = t.shape;
  j["platform"] = t.platform;
  j["set"] = t.set;
  j["time_us"] = t.time_us;
  j["default_us"] = t.default_us;
  return json_text(j);
}

TilingFile read_tiling(const std::string& path) {
  const Json j = parse_json(read_text(path), path);
  const JsonMembers r(path, kTilingComplaint);
  if (j.kind != Json::Kind::Object) r.refuse(j, "the tiling is not an object");
  if (r.string(j, "format") != kTilingFormat) r.refuse(j, "this is not a tiling file");
  const Json& version = r.member(j, "version", Json::Kind::Number);
  if (r.integer(version) != kTilingVersion)
    r.refuse(version, fmt::format("version {} is not supported; this program reads version {}",
                                  version.number, kTilingVersion));
  const auto number = [&](const char* key) { return r.member(j, key, Json::Kind::Number).number; };
  return {r.string(j, "program"), r.string(j, "shape"), r.string(j, "platform"),
          r.integers(j, "set"),   number("time_us"),    number("default_us")};
}

}  // namespace tilewright::data
