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
constexpr int kManifestVersion = 1;

constexpr JsonMembers::Complaint kManifestComplaint{
    .code = "manifest",
    .law = "a data directory is described by the manifest.json that --save-data wrote",
    .help = "save the data again"};

TensorEntry parse_tensor(const JsonMembers& r, const Json& j) {
  TensorEntry t;
  t.name = r.string(j, "name");
  // The name becomes part of a path; a parameter's name is an identifier.
  if (t.name.find('/') != std::string::npos) r.refuse(j, "a tensor's name is an identifier");
  const auto dtype = parse_dtype(r.string(j, "dtype"));
  if (!dtype || !is_storable(*dtype)) r.refuse(j, "unknown dtype");
  t.dtype = *dtype;
  for (const Json& d : r.member(j, "shape", Json::Kind::Array).items) {
    t.shape.push_back(r.integer(d));
    if (t.shape.back() < 1) r.refuse(d, "a dimension is at least 1");
  }
  for (const Json& f : r.member(j, "files", Json::Kind::Array).items) t.files.push_back(f.string);
  return t;
}

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
  j["scalars"] = m.scalars;
  j["tensors"] = nlohmann::ordered_json::array();
  for (const TensorEntry& t : m.tensors)
    j["tensors"].push_back(
        {{"name", t.name}, {"dtype", dtype_name(t.dtype)}, {"shape", t.shape}, {"files", t.files}});
  return json_text(j);
}

Manifest parse_manifest(const std::string& text, const std::string& origin) {
  const JsonMembers r(origin, kManifestComplaint);
  const Json j = parse_json(text, origin);
  if (j.kind != Json::Kind::Object) r.refuse(j, "the manifest is not an object");
  if (r.string(j, "format") != kManifestFormat) r.refuse(j, "this is not a manifest of saved data");
  const Json& version = r.member(j, "version", Json::Kind::Number);
  if (r.integer(version) != kManifestVersion)
    r.refuse(version, fmt::format("version {} is not the one this program reads, {}",
                                  version.number, kManifestVersion));
  Manifest m;
  m.program = r.string(j, "program");
  m.shape = r.string(j, "shape");
  m.platform = r.string(j, "platform");
  m.seed = static_cast<uint64_t>(r.integer(r.member(j, "seed", Json::Kind::Number)));
  m.keys = r.integers(j, "keys");
  m.set = r.integers(j, "set");
  const Json& scalars = r.member(j, "scalars", Json::Kind::Object);
  for (std::size_t i = 0; i < scalars.items.size(); ++i)
    m.scalars[scalars.keys[i]] =
        r.member(scalars, scalars.keys[i].c_str(), Json::Kind::Number).number;
  for (const Json& t : r.member(j, "tensors", Json::Kind::Array).items)
    m.tensors.push_back(parse_tensor(r, t));
  return m;
}

}  // namespace tilewright::data
