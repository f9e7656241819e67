// Machines as data: memories, routes, cores, runtime rules. Every number says where it comes from
// and how far it can be trusted. A chip difference is a number or a route here, never an `if`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/memory_space.h"
#include "tilewright/platform/rules.h"
#include "tilewright/platform/timing.h"

namespace tilewright::platform {

enum class Standing : uint8_t { Spec, Measured, Fitted, Assumed };
std::string_view standing_name(Standing s);

// One value of the platform file: where it stands, how far to trust it, where it comes from.
struct Fact {
  std::string path;  // "memories.Vec.physical"
  double value = 0;
  Standing standing = Standing::Assumed;
  std::string source;
  std::string unit;  // "bytes", "GHz"; empty for a plain count
  std::string text;  // a value that is words ("unlimited", "GM->Vec, GM->Mat"); else empty
};

// A memory of one core. GM, which all cores share, is not among them.
struct Memory {
  MemorySpace space = MemorySpace::Vec;
  std::optional<int64_t> physical;  // bytes; absent = not limited
  std::optional<int64_t> safe;      // bytes a careful program stays under; physical if not stated
  int64_t alignment = 32;           // bytes
};

struct Route {
  MemorySpace from = MemorySpace::GM;
  MemorySpace to = MemorySpace::GM;
};

struct Platform {
  std::string name;
  std::string title;
  bool device = false;  // describes an NPU (false: this CPU)
  int cube_cores = 0;
  int vector_cores = 0;
  int vectors_per_cluster = 2;
  double clock_ghz = 0;
  int64_t dma_row_bytes = 0;   // innermost transfers below this waste bandwidth
  int64_t fractal_rows = 16;   // M and N granularity of the cube
  int64_t fractal_bytes = 32;  // K granularity of the cube, in bytes
  std::optional<int64_t> integer_acc_rows;  // M granularity of INT32 sums in Acc, if another
  std::vector<Memory> memories;
  std::vector<Route> routes;
  bool one_address_space = false;  // routes are "all": GM and tiles are one memory
  std::string rules;        // name of the runtime rules it runs under
  std::optional<Timing> timing;         // absent: time on it cannot be predicted
  std::optional<RuntimeCosts> runtime;  // the same
  PredictionSpread spread;              // of what is predicted with them
  std::vector<Fact> facts;  // every number with its source

  const Memory* memory(MemorySpace s) const;  // null for GM and for what it lacks
  bool has_route(MemorySpace from, MemorySpace to) const;
  const Fact* fact(std::string_view path) const;  // null if unknown
};

// The built-in descriptions: cpu, a2a3, a5.
std::vector<std::string> platform_names();

// What the user asked for with -p: "cpu", "a2a3sim", "a5sim", or a path to a JSON file. "a2a3" and
// "a5" throw a UserError that says no device is attached and names the simulated platform.
struct Selected {
  Platform platform;
  bool simulated = false;  // values computed by us, time predicted
};
Selected select_platform(const std::string& what);

// `name` is one of platform_names().
const Platform& builtin_platform(std::string_view name);
// Validates; a UserError names the field by its path. A file with "extends": "a2a3" gives only what
// differs from that built-in machine.
Platform parse_platform(const std::string& json_text, const std::string& origin);

// The machine with one number changed: "timing.gm.l1_latency_ns=300", with or without "platform."
// in front. A UserError names the field that is unknown or cannot have this value.
Platform overridden(const Platform& base, const std::string& assignment);

// The machine with several numbers changed, by path; their standing and source stay.
Platform with_numbers(const Platform& base, const std::map<std::string, double>& numbers);

// The same with numbers multiplied by exp(by), one for each.
Platform moved(const Platform& base, const std::vector<Fact>& numbers,
               const std::vector<double>& by);

// A time or a rate of which predictions are made.
bool is_time_or_rate(const Fact& fact);

// The machine with every number of `standing` worse by this factor: times longer, rates lower.
Platform worsened(const Platform& base, Standing standing, double factor);

// The machine without one kind of cost, to see what binds: "runtime" (its software takes no time),
// "hbm" (HBM is never the limit), "latency" (data arrives with its last byte), "cube" (matmuls and
// what feeds and drains them take no time) or "vector" (vector instructions take no time).
const std::vector<std::string>& ideals();
Platform idealised(Platform base, const std::string& what);

}  // namespace tilewright::platform
