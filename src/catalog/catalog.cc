#include "tilewright/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::catalog {
namespace {

std::vector<std::string> key_names(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& k : keys) names.push_back(k.name);
  return names;
}

std::string or_none(const std::vector<std::string>& names) {
  return names.empty() ? "none" : join(names, ", ");
}

// A message names a few; the rest is a number.
std::vector<std::string> first_of(std::vector<std::string> names) {
  constexpr std::size_t kMost = 8;
  if (names.size() <= kMost) return names;
  const std::string rest = fmt::format("and {} more", names.size() - kMost);
  names.resize(kMost);
  names.push_back(rest);
  return names;
}

template <class Map>
auto& find_array(Map& map, const std::string& name) {
  const auto it = map.find(name);
  if (it != map.end()) return it->second;
  std::vector<std::string> names;
  for (const auto& entry : map) names.push_back(entry.first);
  user_error("array", fmt::format("no array {}{}", quote(name), did_you_mean(name, names)), "",
             "a formula receives one array per parameter, under the parameter's name",
             fmt::format("the arrays are: {}", or_none(names)));
}

std::string range_text(const Key& k) {
  return k.high == INT64_MAX ? fmt::format("at least {}", k.low)
                             : fmt::format("{} to {}", k.low, k.high);
}

}  // namespace

int64_t Config::operator[](std::string_view key) const {
  for (const Key& k : keys_)
    if (k.name == key) return k.value;
  const auto names = key_names(keys_);
  user_error("key", fmt::format("no key {}{}", quote(key), did_you_mean(key, names)), "",
             "a program reads only the keys that its ProgramDef declares",
             fmt::format("declare it, or use one of: {}", or_none(names)));
}

void Config::set(const std::string& key, int64_t value) {
  for (Key& k : keys_) {
    if (k.name != key) continue;
    if (value < k.low || value > k.high)
      user_error("key",
                 fmt::format("key {} = {} is outside its range, {}", key, value, range_text(k)),
                 fmt::format("in --set {}={}", key, value),
                 k.help.empty() ? "every key has a range" : fmt::format("{} is: {}", key, k.help),
                 fmt::format("the default is {}", k.value));
    k.value = value;
    return;
  }
  const auto names = key_names(keys_);
  user_error("key", fmt::format("unknown key {}{}", quote(key), did_you_mean(key, names)),
             fmt::format("in --set {}={}", key, value),
             "only the keys that the program declares can be set",
             fmt::format("its keys are: {}", or_none(names)));
}

HostArray& Arrays::operator[](const std::string& name) { return find_array(map_, name); }
const HostArray& Arrays::operator[](const std::string& name) const {
  return find_array(map_, name);
}

std::vector<double> doubles(const HostArray& array) {
  std::vector<double> out(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = array.at(static_cast<int64_t>(i));
  return out;
}

Tolerance ProgramDef::tolerance(const std::string& output) const {
  for (const std::string& name : {output, std::string()})
    if (const auto it = tolerances.find(name); it != tolerances.end()) return it->second;
  return {};
}

Config configure(const ProgramDef& def, const std::string& shape, const Machine& machine) {
  if (!shape.empty() && std::ranges::find(def.shapes, shape) == def.shapes.end())
    user_error("shape-name",
               fmt::format("program {} has no shape {}{}", def.name, quote(shape),
                           did_you_mean(shape, def.shapes)),
               fmt::format("in --shape {}", shape), "a shape is selected by name",
               fmt::format("its shapes are: {}", or_none(def.shapes)));
  const std::string chosen = shape.empty() && !def.shapes.empty() ? def.shapes.front() : shape;
  return {chosen, machine, def.keys ? def.keys(chosen, machine) : std::vector<Key>{}};
}

void Catalog::validate() const {
  std::set<std::string> names;
  for (const ProgramDef& def : programs_) {
    const auto refuse = [&](const char* what) {
      user_error("catalog", fmt::format("program {} {}", quote(def.name), what), "in the catalog",
                 "every program has a unique name and a build function",
                 "set ProgramDef::name and ProgramDef::build");
    };
    if (def.name.empty()) refuse("has no name");
    if (!def.build) refuse("has no build function");
    if (!names.insert(def.name).second) refuse("is defined twice");
  }
}

const ProgramDef& Catalog::find(const std::string& name) const {
  for (const ProgramDef& def : programs_)
    if (def.name == name) return def;
  user_error("program",
             fmt::format("unknown program {}{}", quote(name), did_you_mean(name, names())), "",
             "a program is a .py file or a name that list prints",
             fmt::format("the programs are: {}", or_none(first_of(names()))));
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> out;
  for (const ProgramDef& def : programs_) out.push_back(def.name);
  return out;
}

}  // namespace tilewright::catalog
