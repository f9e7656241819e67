#include "tilewright/data/manifest.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_text.h"
#include "tilewright/base/text.h"
#include "tilewright/data/json_members.h"

namespace tilewright::data {
namespace {

constexpr const char* kManifestFormat = "tilewright-data";
constexpr int kManifestVersion = 2;

constexpr JsonMembers::Complaint kManifestComplaint{
    .code = "manifest",
    .law = "manifest.json, written by --save-data, describes the run that saved the data",
    .help = "save the data again"};

}  // namespace

std::string manifest_text(const Manifest& m) {
  nlohmann::ordered_json j;
  j["format"] = kManifestFormat;
  j["version"] = kManifestVersion;
  j["program"] = m.program;
  j["shape"] = m.shape;
  j["platform"] = m.platform;
  j["seed"] = m.seed;
  j["keys"] = m.keys;
  j["set"] = m.set;
  return json_text(j);
}

Manifest parse_manifest(const std::string& text, const std::string& origin) {
  const JsonMembers r(origin, kManifestComplaint);
  const Json j = parse_json(text, origin);
  if (j.kind != Json::Kind::Object) r.refuse(j, "the manifest is not an object");
  if (r.string(j, "format") != kManifestFormat) r.refuse(j, "this is not a manifest of saved data");
  const Json& version = r.member(j, "version", Json::Kind::Number);
  if (r.integer(version) != kManifestVersion)
    r.refuse(version, fmt::format("version {} is not supported; this program reads version {}",
                                  version.number, kManifestVersion));
  Manifest m;
  m.program = r.string(j, "program");
  m.shape = r.string(j, "shape");
  m.platform = r.string(j, "platform");
  m.seed = static_cast<uint64_t>(r.integer(r.member(j, "seed", Json::Kind::Number)));
  m.keys = r.integers(j, "keys");
  m.set = r.integers(j, "set");
  return m;
}

}  // namespace tilewright::data
