#include "tilewright/platform/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::platform {
namespace {

constexpr std::array kStandings{Standing::Spec, Standing::Measured, Standing::Fitted,
                                Standing::Assumed};
// Whole numbers above this are not exact in a JSON number.
constexpr int64_t kMostWhole = int64_t{1} << 53;
// The simulator counts whole units of time in 64 bits: sums of times in these ranges fit.
constexpr double kMostCost = 1e9, kLeastRate = 1e-6, kMostRate = 1e15;

constexpr const char* kSourceLaw = "every value must state its source and its standing";
constexpr const char* kSourceHelp =
    R"(write {"value": ..., "standing": "assumed", "source": "where it comes from"})";

std::string shown(const Json& j) {
  switch (j.kind) {
    case Json::Kind::Number: return fmt::format("{}", j.number);
    case Json::Kind::String: return quote(j.string);
    case Json::Kind::Bool: return j.boolean ? "true" : "false";
    case Json::Kind::Null:
    case Json::Kind::Array:
    case Json::Kind::Object: break;
  }
  return std::string(json_kind_name(j.kind));
}

}  // namespace

std::string_view standing_name(Standing s) {
  switch (s) {
    case Standing::Spec: return "spec";
    case Standing::Measured: return "measured";
    case Standing::Fitted: return "fitted";
    case Standing::Assumed: return "assumed";
  }
  return "";
}

std::string suggest(std::string_view word, const std::vector<std::string>& known,
                    std::string_view otherwise) {
  const auto close = nearest(word, known);
  return close ? fmt::format("did you mean {}?", quote(*close)) : std::string(otherwise);
}

Section::Section(const Json& json, std::string path, bool partial, const File& file)
    : json_(json), path_(std::move(path)), partial_(partial), file_(file) {
  if (json.kind == Json::Kind::Object) return;
  if (path_.empty())
    user_error("platform-file",
               fmt::format("the file holds {}, not an object", json_kind_name(json.kind)),
               fmt::format("at {}:{}", file.origin, json.line),
               "a platform file is one JSON object", R"(start with {"extends": "a2a3", ...})");
  fail_at(json.line, path_, fmt::format("is {}, not an object", shown(json)),
          "every field has one type", "give an object");
}

std::string Section::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

void Section::fail_at(uint32_t line, std::string_view path, std::string_view what, std::string law,
                      std::string help) const {
  user_error("platform-file", fmt::format("field {} {}", path, what),
             file_.origin.starts_with("--") ? "in " + file_.origin
                                            : fmt::format("at {}:{}", file_.origin, line),
             std::move(law), std::move(help));
}

void Section::fail(std::string_view name, std::string_view what, std::string law,
                   std::string help) const {
  const Json* j = json_.find(name);
  fail_at(j ? j->line : json_.line, path_of(name), what, std::move(law), std::move(help));
}

void Section::only(const std::vector<std::string>& known) const {
  for (const std::string& name : json_.keys) {
    if (std::ranges::find(known, name) != known.end()) continue;
    fail(name, "is not known",
         fmt::format("the fields here are {}; an unknown one would have no effect",
                     join(known, ", ")),
         suggest(name, known, "delete it"));
  }
}

const Json* Section::get(std::string_view name, Json::Kind kind) const {
  const Json* j = json_.find(name);
  if (!j) {
    if (partial_) return nullptr;
    fail(name, "is missing",
         "a platform file must give every field that its base platform does not have",
         R"(add it, or start from a machine with "extends": "a2a3")");
  }
  if (j->kind != kind)
    fail(name, fmt::format("is {}, not {}", shown(*j), json_kind_name(kind)),
         "every field has one type", fmt::format("give {}", json_kind_name(kind)));
  return j;
}

std::optional<Section> Section::section(std::string_view name) const {
  if (!get(name, Json::Kind::Object)) return std::nullopt;
  return section(name, partial_);
}

Section Section::section(std::string_view name, bool partial) const {
  return Section(*json_.find(name), path_of(name), partial, file_);
}

void Section::read(std::string_view name, std::string& out) const {
  const Json* j = get(name, Json::Kind::String);
  if (!j) return;
  if (j->string.empty())
    fail(name, "is empty", "names and sources must not be empty", "write at least one word");
  out = j->string;
}

void Section::read(std::string_view name, bool& out) const {
  if (const Json* j = get(name, Json::Kind::Bool)) out = j->boolean;
}

std::optional<Section::Sourced> Section::sourced(std::string_view name) const {
  const Json* j = json_.find(name);
  if (j && j->kind != Json::Kind::Object)
    fail(name, fmt::format("is {} without a source", shown(*j)), kSourceLaw, kSourceHelp);
  if (!get(name, Json::Kind::Object)) return std::nullopt;
  const Section s = section(name, /*partial=*/false);
  s.only({"value", "standing", "source"});
  for (std::string_view part : {"value", "standing", "source"})
    if (!s.has(part)) s.fail(part, "is missing", kSourceLaw, kSourceHelp);
  Sourced out{j->find("value"), {}, s.path_of("value")};
  out.fact.path = path_of(name);
  std::string standing;
  s.read("standing", standing);
  s.read("source", out.fact.source);
  const auto known = std::ranges::find(kStandings, standing, standing_name);
  if (known == kStandings.end())
    s.fail("standing", fmt::format("is {}", quote(standing)),
           "the standing of a value is spec, measured, fitted or assumed",
           suggest(standing, {"spec", "measured", "fitted", "assumed"},
                   R"(write "assumed" when nothing better is known)"));
  out.fact.standing = *known;
  return out;
}

void Section::record(Fact fact) const {
  auto& facts = *file_.facts;
  const auto same = std::ranges::find(facts, fact.path, &Fact::path);
  if (same == facts.end())
    facts.push_back(std::move(fact));
  else
    *same = std::move(fact);
}

int64_t Section::whole(Sourced& s, std::string_view unit, int64_t most) const {
  const Json& j = *s.value;
  most = std::min(most, kMostWhole);
  if (j.kind != Json::Kind::Number || j.number < 1 || j.number != std::floor(j.number) ||
      j.number > static_cast<double>(most))
    fail_at(j.line, s.value_path, fmt::format("is {}", shown(j)),
            fmt::format("sizes and counts are whole numbers from 1 to {}", most),
            "give a whole number in this range");
  s.fact.value = j.number;
  s.fact.unit = unit;
  record(std::move(s.fact));
  return static_cast<int64_t>(j.number);
}

void Section::read_rate(std::string_view name, double& out, std::string_view unit) const {
  auto s = sourced(name);
  if (!s) return;
  const Json& j = *s->value;
  if (j.kind != Json::Kind::Number || j.number < kLeastRate || j.number > kMostRate)
    fail_at(j.line, s->value_path, fmt::format("is {}", shown(j)),
            fmt::format("a rate is a number from {:g} to {:g}, in {}", kLeastRate, kMostRate, unit),
            "give a number in this range");
  out = s->fact.value = j.number;
  s->fact.unit = unit;
  record(std::move(s->fact));
}

void Section::read_time(std::string_view name, double& out, std::string_view unit) const {
  auto s = sourced(name);
  if (!s) return;
  const Json& j = *s->value;
  if (j.kind != Json::Kind::Number || j.number < 0 || j.number > kMostCost)
    fail_at(j.line, s->value_path, fmt::format("is {}", shown(j)),
            fmt::format("a cost is a number from 0 to {:g}, in {}", kMostCost, unit),
            "give a number in this range");
  out = s->fact.value = j.number;
  s->fact.unit = unit;
  record(std::move(s->fact));
}

void Section::read_limit(std::string_view name, std::optional<int64_t>& out,
                         std::string_view unit) const {
  auto s = sourced(name);
  if (!s) return;
  if (s->value->kind == Json::Kind::String && s->value->string == "unlimited") {
    s->fact.text = "unlimited";
    record(std::move(s->fact));
    out.reset();
    return;
  }
  out = whole(*s, unit, std::numeric_limits<int64_t>::max());
}

}  // namespace tilewright::platform
