// The platform file, section by section. A new section is one more function here and one more name
// in parse_platform.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tilewright/base/text.h"
#include "tilewright/platform/fields.h"
#include "tilewright/platform/sections.h"

namespace tilewright::platform {
namespace {

std::vector<std::string> top_fields() {
  return {"extends",  "name",    "title",    "device", "rules",  "cores",
          "transfer", "fractal", "memories", "routes", "timing", "spread", "runtime"};
}

// GM is not a memory of a core: every machine has it, shared by all, and routes may name it.
std::vector<std::string> core_memory_names() {
  std::vector<std::string> names;
  for (MemorySpace s : kMemorySpaces)
    if (s != MemorySpace::GM) names.emplace_back(memory_space_name(s));
  return names;
}

void read_cores(const Section& s, Platform& p) {
  s.only({"cube", "vector", "vectors_per_cluster", "clock_ghz"});
  s.read_whole("cube", p.cube_cores, "");
  s.read_whole("vector", p.vector_cores, "");
  s.read_whole("vectors_per_cluster", p.vectors_per_cluster, "");
  s.read_rate("clock_ghz", p.clock_ghz, "GHz");
  // In 64 bits: both factors may be as large as an int.
  const int64_t expected = int64_t{p.cube_cores} * p.vectors_per_cluster;
  if (p.vector_cores != expected)
    s.fail("vector",
           fmt::format("is {}, but {} cube cores with {} vectors each make {}", p.vector_cores,
                       p.cube_cores, p.vectors_per_cluster, expected),
           "a cluster consists of one cube core and its vector cores",
           "change cube, vector and vectors_per_cluster together");
}

void read_transfer(const Section& s, Platform& p) {
  s.only({"dma_row_bytes"});
  s.read_whole("dma_row_bytes", p.dma_row_bytes, "bytes");
}

void read_fractal(const Section& s, Platform& p) {
  s.only({"rows", "bytes", "integer_acc_rows"});
  s.read_whole("rows", p.fractal_rows, "");
  s.read_whole("bytes", p.fractal_bytes, "bytes");
  if (s.has("integer_acc_rows"))
    s.read_whole("integer_acc_rows", p.integer_acc_rows.emplace(), "");
}

void read_memory(const Section& s, Platform& p, Memory& m) {
  s.only({"physical", "safe", "alignment"});
  s.read_limit("physical", m.physical, "bytes");
  s.read_whole("alignment", m.alignment, "bytes");
  if (!std::has_single_bit(static_cast<uint64_t>(m.alignment)))
    s.fail("alignment", fmt::format("is {}", m.alignment), "an alignment is a power of two",
           fmt::format("use {}", std::bit_ceil(static_cast<uint64_t>(m.alignment))));

  // A safe size that nobody stated follows the physical one, also when a variation changes that.
  const std::string safe_path = s.path_of("safe");
  if (s.has("safe"))
    s.read_limit("safe", m.safe, "bytes");
  else if (!p.fact(safe_path))
    m.safe = m.physical;
  if (m.physical && (!m.safe || *m.safe > *m.physical))
    s.fail("safe",
           fmt::format("is {}, more than the physical {}",
                       m.safe ? fmt::format("{}", *m.safe) : "unlimited", *m.physical),
           "the safe size must not exceed the physical size",
           fmt::format("give a safe size of at most {}", *m.physical));
}

void read_memories(const Section& s, Platform& p) {
  for (const std::string& name : s.names()) {
    const auto space = parse_memory_space(name);
    if (!space || space == MemorySpace::GM) {
      const std::vector<std::string> known = core_memory_names();
      s.fail(name, "is not a memory of a core",
             fmt::format("the memories of a core are {}", join(known, ", ")),
             suggest(name, known, "delete it"));
    }
    auto m = std::ranges::find(p.memories, *space, &Memory::space);
    const bool known = m != p.memories.end();
    if (!known) m = p.memories.insert(m, Memory{*space, {}, {}});
    read_memory(s.section(name, /*partial=*/known), p, *m);
  }
}

Route read_route(const Section& s, const std::string& path, const Platform& p, const Json& j) {
  const std::string text = j.kind == Json::Kind::String ? j.string : "";
  const std::size_t arrow = text.find("->");
  const auto from = parse_memory_space(text.substr(0, arrow));
  const auto to =
      arrow == std::string::npos ? std::nullopt : parse_memory_space(text.substr(arrow + 2));
  if (!from || !to || from == to)
    s.fail_at(j.line, path,
              j.kind == Json::Kind::String ? fmt::format("is {}", quote(text))
                                           : fmt::format("is {}", json_kind_name(j.kind)),
              fmt::format("a route joins two of GM, {} with an arrow",
                          join(core_memory_names(), ", ")),
              R"(write it as "GM->Vec")");
  for (MemorySpace end : {*from, *to})
    if (end != MemorySpace::GM && !p.memory(end))
      s.fail_at(j.line, path,
                fmt::format("is {}, but there is no memory {}", quote(text),
                            memory_space_name(end)),
                "a route joins memories that the machine has",
                fmt::format("describe memories.{}, or delete the route", memory_space_name(end)));
  if (p.has_route(*from, *to))
    s.fail_at(j.line, path, fmt::format("repeats {}", quote(text)), "a route must be listed once",
              "delete one of the two");
  return {*from, *to};
}

void read_routes(const Section& s, Platform& p) {
  auto given = s.sourced("routes");
  if (!given) return;
  const Json& list = *given->value;
  p.routes.clear();  // a variation gives the whole list
  p.one_address_space = list.kind == Json::Kind::String && list.string == "all";
  if (p.one_address_space) {
    given->fact.text = "all";
    const auto has = [&](MemorySpace m) { return m == MemorySpace::GM || p.memory(m); };
    for (MemorySpace from : kMemorySpaces)
      for (MemorySpace to : kMemorySpaces)
        if (from != to && has(from) && has(to)) p.routes.push_back({from, to});
  } else if (list.kind == Json::Kind::Array) {
    std::vector<std::string> texts;
    for (const Json& item : list.items) {
      const std::string path = fmt::format("{}.{}", given->value_path, texts.size());
      p.routes.push_back(read_route(s, path, p, item));
      texts.push_back(item.string);
    }
    given->fact.text = join(texts, ", ");
  } else {
    s.fail_at(list.line, given->value_path, fmt::format("is {}", json_kind_name(list.kind)),
              R"(the value is "all" or an array of routes)", R"(write ["GM->Vec", "Vec->GM"])");
  }
  s.record(std::move(given->fact));
}

void read_rules(const Section& s, Platform& p) {
  s.read("rules", p.rules);
  if (find_runtime_rules(p.rules)) return;
  std::vector<std::string> names;
  for (const RuntimeRules& r : runtime_rules()) names.push_back(r.name);
  s.fail("rules", fmt::format("is {}", quote(p.rules)),
         fmt::format("the runtime rules are {}", join(names, ", ")),
         suggest(p.rules, names, "choose one of them"));
}

// The machine that the file varies, or an empty one.
Platform start_of(const Section& top) {
  if (!top.has("extends")) return {};
  std::string base;
  top.read("extends", base);
  const std::vector<std::string> names = platform_names();
  if (std::ranges::find(names, base) == names.end())
    top.fail("extends", fmt::format("is {}", quote(base)),
             fmt::format("a file can extend the built-in machines {}", join(names, ", ")),
             suggest(base, names, "choose one of them"));
  Platform p = builtin_platform(base);
  p.title = fmt::format("variation of {}", base);
  return p;
}

// A machine may lack these: then it can be compiled for, and its time is not predicted. What is
// stated for the first time is stated whole.
void read_times(const Json& root, const File& file, Platform& p) {
  if (root.find("timing")) {
    const bool known = p.timing.has_value();
    if (!known) p.timing.emplace();
    read_timing(Section(root, "", known, file).section("timing", known), *p.timing);
  }
  if (root.find("spread"))
    read_spread(Section(root, "", true, file).section("spread", true), p.spread);
  if (root.find("runtime")) {
    const bool known = p.runtime.has_value();
    if (!known) p.runtime.emplace();
    read_runtime(Section(root, "", known, file).section("runtime", known), *p.runtime);
  }
}

// Every section of the file; absent ones stay as `p` has them when `partial`.
void read_sections(const Json& root, bool partial, const File& file, Platform& p) {
  const Section top(root, "", partial, file);
  // What a device must state and this CPU finds out itself cannot come from extending the latter.
  const Section device(root, "", partial && p.device, file);
  top.read("title", p.title);
  top.read("device", p.device);
  read_rules(top, p);
  if (p.device || top.has("cores"))
    if (const auto s = device.section("cores")) read_cores(*s, p);
  if (p.device || top.has("transfer"))
    if (const auto s = device.section("transfer")) read_transfer(*s, p);
  if (const auto s = top.section("fractal")) read_fractal(*s, p);
  if (const auto s = top.section("memories")) read_memories(*s, p);
  read_routes(top, p);
  read_times(root, file, p);
}

}  // namespace

Platform vary_platform(Platform p, const std::string& json_text, const std::string& origin) {
  const Json root = parse_json(json_text, origin);
  const File file{origin, &p.facts};
  Section(root, "", true, file).only(top_fields());
  read_sections(root, /*partial=*/true, file, p);
  return p;
}

Platform parse_platform(const std::string& json_text, const std::string& origin) {
  const Json root = parse_json(json_text, origin);
  Platform p;
  const File file{origin, &p.facts};
  const bool partial = root.find("extends") != nullptr;
  const Section top(root, "", partial, file);
  top.only(top_fields());
  p = start_of(top);
  if (!top.has("name"))  // also in a variation, which is another machine
    top.fail("name", "is missing", "reports and messages identify a platform by its name",
             R"(add "name": "my_chip")");
  top.read("name", p.name);
  read_sections(root, partial, file, p);
  return p;
}

}  // namespace tilewright::platform
