// Variations of a machine that are asked for on the command line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/platform/sections.h"

namespace tilewright::platform {
namespace {

constexpr std::string_view kPrefix = "platform.";

// The assignment as a platform file: {"timing": {"gm": {"l1_latency_ns": {"value": ...}}}}.
std::string as_file(const std::string& path, const std::string& value) {
  const auto parts = split(path, '.');
  std::string text =
      fmt::format(R"({{"value": {}, "standing": "assumed", "source": "--override"}})", value);
  for (auto it = parts.rbegin(); it != parts.rend(); ++it)
    text = fmt::format("{{{}: {}}}", quote(*it), text);
  return text;
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

// Matmuls, their way in from Mat and their way out of Acc take no time. Fractals stay as they are:
// tiles are laid out in them, and rows are counted in them.
void free_cube(Platform& p) {
  constexpr double kFastLink = 1e12;  // bytes per cycle
  p.timing->cube = {kFastLink, kFastLink, 0, 1, 0};
  FixpipeTiming& f = p.timing->fixpipe;
  f.fixed_cycles = f.row_cycles = f.odd_cycles = 0;
  f.bytes_per_cycle = kFastLink;
}

}  // namespace

Platform overridden(const Platform& base, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string value =
      equals == std::string::npos ? std::string() : assignment.substr(equals + 1);
  if (!is_number(value) || equals == 0)
    user_error("override", fmt::format("{} is not PATH=NUMBER", quote(assignment)),
               fmt::format("in --override {}", assignment),
               "--override replaces one number of the platform",
               "write for example --override timing.gm.l1_latency_ns=300");
  std::string path = assignment.substr(0, equals);
  if (path.starts_with(kPrefix)) path.erase(0, kPrefix.size());
  if (path == "rules" || path == "name" || path == "routes")
    user_error("override", fmt::format("{} is not a number of the platform", path),
               fmt::format("in --override {}", assignment),
               "--override replaces one number of the platform",
               "describe another machine in a JSON file");
  // The same value is no change: it keeps its standing, and with it the interval of predictions.
  if (const Fact* fact = base.fact(path);
      fact && fact->value == std::strtod(value.c_str(), nullptr))
    return base;
  try {
    return vary_platform(base, as_file(path, value), fmt::format("--override {}", assignment));
  } catch (const UserError&) {
    if (base.fact(path)) throw;  // the value is wrong
  }
  std::vector<std::string> paths;
  for (const Fact& f : base.facts) paths.push_back(f.path);
  user_error("override",
             fmt::format("{} is not a number of the platform{}", path, did_you_mean(path, paths)),
             fmt::format("in --override {}", assignment),
             "--override replaces one number of the platform",
             "tilewright platform a2a3sim lists the numbers");
}

Platform with_numbers(const Platform& base, const std::map<std::string, double>& numbers) {
  nlohmann::json file;
  for (const auto& [path, value] : numbers) {
    const Fact* fact = base.fact(path);
    check(fact != nullptr, "a number that the platform does not have");
    nlohmann::json* at = &file;
    for (const std::string& part : split(path, '.')) at = &(*at)[part];
    *at = {{"value", value},
           {"standing", standing_name(fact->standing)},
           {"source", fact->source}};
  }
  return vary_platform(base, file.dump(), "a variation");
}

Platform moved(const Platform& base, const std::vector<Fact>& numbers,
               const std::vector<double>& by) {
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    values[numbers[i].path] = numbers[i].value * std::exp(by[i]);
  return with_numbers(base, values);
}

namespace {

bool is_time(const Fact& f) { return f.unit == "ns" || f.unit == "cycles" || f.unit == "passes"; }
bool is_rate(const Fact& f) { return f.unit == "bytes per cycle" || f.unit == "GB/s"; }

}  // namespace

bool is_time_or_rate(const Fact& f) {
  return (f.path.starts_with("timing.") || f.path.starts_with("runtime.")) &&
         (is_time(f) || is_rate(f));
}

Platform worsened(const Platform& base, Standing standing, double factor) {
  std::map<std::string, double> numbers;
  for (const Fact& f : base.facts) {
    if (f.standing != standing || !is_time_or_rate(f)) continue;
    numbers[f.path] = is_time(f) ? f.value * factor : f.value / factor;
  }
  return numbers.empty() ? base : with_numbers(base, numbers);
}

const std::vector<std::string>& ideals() {
  static const std::vector<std::string> kAll{"runtime", "hbm", "latency", "cube", "vector"};
  return kAll;
}

Platform idealised(Platform p, const std::string& what) {
  if (what == "runtime" && p.runtime) {
    RuntimeCosts free;
    free.scheduler_threads = p.runtime->scheduler_threads;
    free.task_window = p.runtime->task_window;
    free.heap_bytes = p.runtime->heap_bytes;
    *p.runtime = free;
  } else if (what == "hbm" && p.timing) {
    p.timing->memory.hbm_gb_per_s = p.timing->memory.l2_gb_per_s = 1e9;
    p.timing->memory.hbm_run_bytes = 0;
  } else if (what == "latency" && p.timing) {
    GmTiming& gm = p.timing->gm;
    gm.l1_issue_ns = gm.ub_issue_ns = gm.l1_latency_ns = gm.ub_latency_ns = 0;
    gm.store_latency_ns = gm.scalar_read_ns = 0;
    p.timing->memory.hbm_latency_ns = 0;
    p.timing->memory.hbm_apart_ns = 0;
    p.timing->fixpipe.latency_ns = p.timing->cross.latency_ns = 0;
  } else if (what == "cube" && p.timing) {
    free_cube(p);
  } else if (what == "vector" && p.timing) {
    p.timing->vector = {};
  } else if (std::ranges::find(ideals(), what) == ideals().end()) {
    user_error("ideal",
               fmt::format("unknown ideal {}{}", quote(what), did_you_mean(what, ideals())),
               fmt::format("in --ideal {}", what), "--ideal sets one kind of cost to zero",
               fmt::format("the kinds are: {}", join(ideals(), ", ")));
  }
  return p;
}

}  // namespace tilewright::platform
