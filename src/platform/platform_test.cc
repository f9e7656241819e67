// The built-in machines, the runtime rules, and what -p may name.
#include "tilewright/platform/platform.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tilewright/base/diagnostic.h"

namespace tilewright::platform {
namespace {

struct Sizes {
  MemorySpace space;
  int64_t physical;
  int64_t safe;
  int64_t alignment;
};

void expect_memories(const Platform& p, const std::vector<Sizes>& expected) {
  for (const Sizes& e : expected) {
    SCOPED_TRACE(memory_space_name(e.space));
    const Memory* m = p.memory(e.space);
    ASSERT_NE(m, nullptr);
    EXPECT_EQ(m->physical, e.physical);
    EXPECT_EQ(m->safe, e.safe);
    EXPECT_EQ(m->alignment, e.alignment);
  }
}

std::string routes_text(const Platform& p) {
  std::string text;
  for (MemorySpace from : kMemorySpaces)
    for (MemorySpace to : kMemorySpaces)
      if (p.has_route(from, to)) {
        text += text.empty() ? "" : " ";
        text += std::string(memory_space_name(from)) + ">" + std::string(memory_space_name(to));
      }
  return text;
}

std::string message_of(const std::string& name) {
  try {
    select_platform(name);
  } catch (const UserError& e) {
    return e.diagnostic().text();
  }
  return "no error";
}

TEST(BuiltIn, NamesInTheOrderTheyAreShown) {
  EXPECT_EQ(platform_names(), (std::vector<std::string>{"cpu", "a2a3", "a5"}));
  for (const std::string& name : platform_names()) EXPECT_EQ(builtin_platform(name).name, name);
}

TEST(BuiltIn, A2A3) {
  const Platform& p = builtin_platform("a2a3");
  EXPECT_TRUE(p.device);
  EXPECT_EQ(p.cube_cores, 24);
  EXPECT_EQ(p.vector_cores, 48);
  EXPECT_EQ(p.vectors_per_cluster, 2);
  EXPECT_EQ(p.clock_ghz, 1.85);
  EXPECT_EQ(p.dma_row_bytes, 512);
  EXPECT_EQ(p.fractal_rows, 16);
  EXPECT_EQ(p.fractal_bytes, 32);
  EXPECT_EQ(p.integer_acc_rows, 32);
  EXPECT_EQ(p.rules, "april-2026");
  expect_memories(p, {{MemorySpace::Vec, 196608, 188416, 128},
                      {MemorySpace::Mat, 524288, 524288, 128},
                      {MemorySpace::Left, 65536, 65536, 64},
                      {MemorySpace::Right, 65536, 65536, 64},
                      {MemorySpace::Acc, 131072, 131072, 128},
                      {MemorySpace::Bias, 1024, 1024, 64}});
  EXPECT_EQ(routes_text(p), "GM>Vec GM>Mat Vec>GM Mat>Left Mat>Right Mat>Bias Acc>GM Acc>Mat");
}

TEST(BuiltIn, A5) {
  const Platform& p = builtin_platform("a5");
  EXPECT_TRUE(p.device);
  EXPECT_EQ(p.cube_cores, 32);
  EXPECT_EQ(p.vector_cores, 64);
  EXPECT_EQ(p.clock_ghz, 1.65);
  EXPECT_EQ(p.dma_row_bytes, 128);
  expect_memories(p, {{MemorySpace::Vec, 253952, 245760, 128},
                      {MemorySpace::Mat, 524288, 524288, 128},
                      {MemorySpace::Left, 65536, 65536, 64},
                      {MemorySpace::Right, 65536, 65536, 64},
                      {MemorySpace::Acc, 262144, 262144, 128},
                      {MemorySpace::Bias, 4096, 4096, 64}});
  EXPECT_EQ(routes_text(p),
            "GM>Vec GM>Mat Vec>GM Vec>Mat Mat>Left Mat>Right Mat>Bias Acc>GM Acc>Vec Acc>Mat");
}

TEST(BuiltIn, CpuHasEveryMemoryWithoutALimitAndEveryRoute) {
  const Platform& p = builtin_platform("cpu");
  EXPECT_FALSE(p.device);
  EXPECT_EQ(p.rules, "exact");
  EXPECT_EQ(p.memories.size(), kMemorySpaces.size() - 1) << "all but GM";
  for (const Memory& m : p.memories) {
    EXPECT_EQ(m.physical, std::nullopt);
    EXPECT_EQ(m.safe, std::nullopt);
  }
  for (MemorySpace from : kMemorySpaces)
    for (MemorySpace to : kMemorySpaces) EXPECT_EQ(p.has_route(from, to), from != to);
}

TEST(BuiltIn, EveryNumberHasASourceAndAnExistingRulesName) {
  for (const std::string& name : platform_names()) {
    const Platform& p = builtin_platform(name);
    EXPECT_NE(find_runtime_rules(p.rules), nullptr);
    for (const Memory& m : p.memories) {
      const std::string path = "memories." + std::string(memory_space_name(m.space));
      EXPECT_NE(p.fact(path + ".physical"), nullptr) << path;
      EXPECT_NE(p.fact(path + ".alignment"), nullptr) << path;
    }
    for (const Fact& f : p.facts) EXPECT_FALSE(f.source.empty()) << f.path;
  }
  const Fact* f = builtin_platform("a2a3").fact("memories.Vec.physical");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->value, 196608);
  EXPECT_EQ(f->unit, "bytes");
  EXPECT_EQ(f->standing, Standing::Spec);
  EXPECT_EQ(f->source, "910B platform ini ub_size");
  EXPECT_EQ(builtin_platform("a2a3").fact("memories.Vec.size"), nullptr);
}

TEST(Override, WithTheSameValueKeepsItsStanding) {
  const Platform& base = builtin_platform("a2a3");
  const std::string path = "transfer.dma_row_bytes";
  EXPECT_EQ(overridden(base, path + "=512").fact(path)->standing, Standing::Spec);
  EXPECT_EQ(overridden(base, path + "=256").fact(path)->standing, Standing::Assumed);
}

TEST(Rules, PresetsAreTheRuntimesOfTheirDates) {
  const RuntimeRules* exact = find_runtime_rules("exact");
  ASSERT_NE(exact, nullptr);
  EXPECT_EQ(exact->regions, RuntimeRules::Regions::Exact);
  EXPECT_TRUE(exact->order_write_only && exact->track_war);
  EXPECT_EQ(exact->max_producers, 0);

  const RuntimeRules* april = find_runtime_rules("april-2026");
  ASSERT_NE(april, nullptr);
  EXPECT_EQ(april->regions, RuntimeRules::Regions::WholeArgument);
  EXPECT_FALSE(april->order_write_only || april->track_war);
  EXPECT_EQ(april->max_producers, 16);
  EXPECT_FALSE(april->promote_in_sequential || april->promote_after_sibling ||
               april->promote_inout_parameter);

  const RuntimeRules* may = find_runtime_rules("may-2026");
  ASSERT_NE(may, nullptr);
  EXPECT_EQ(may->regions, RuntimeRules::Regions::WholeArgument);
  EXPECT_FALSE(may->order_write_only || may->track_war);
  EXPECT_EQ(may->max_producers, 0);
  EXPECT_TRUE(may->promote_in_sequential && may->promote_after_sibling &&
              may->promote_inout_parameter);

  EXPECT_EQ(find_runtime_rules("june-2025"), nullptr);
}

TEST(Rules, ADayNamesTheRulesThatHeldThen) {
  const auto on = [](std::string_view day) {
    const RuntimeRules* r = find_runtime_rules(day);
    return r ? r->name : "none";
  };
  EXPECT_EQ(on("2026-03-31"), "none");
  EXPECT_EQ(on("2026-04-11"), "april-2026");
  EXPECT_EQ(on("2026-04-21"), "2026-04-18");
  EXPECT_EQ(on("2026-04-22"), "2026-04-22");
  EXPECT_EQ(on("2026-04-28"), "2026-04-24");
  EXPECT_EQ(on("2026-05-14"), "2026-05-06");
  EXPECT_EQ(on("2026-05-15"), "may-2026");
  EXPECT_EQ(on("2026-07-01"), "july-2026");
  EXPECT_EQ(on("2026-07-03"), "2026-07-02");
  EXPECT_EQ(on("2027-01-01"), "august-2026");
  EXPECT_EQ(on("2026-7-3"), "none");
  EXPECT_EQ(on("20260703xx"), "none");
}

TEST(Rules, PresetsAreInTheOrderOfTheirDatesAndHaveSources) {
  std::string before;
  for (const RuntimeRules& r : runtime_rules()) {
    EXPECT_FALSE(r.source.empty()) << r.name;
    EXPECT_EQ(r.from.empty(), r.name == "exact");
    EXPECT_LE(before, r.from) << r.name;
    before = r.from;
  }
}

TEST(Select, CpuAndSimulatedDevices) {
  EXPECT_FALSE(select_platform("cpu").simulated);
  EXPECT_EQ(select_platform("cpu").platform.name, "cpu");
  EXPECT_TRUE(select_platform("a2a3sim").simulated);
  EXPECT_EQ(select_platform("a2a3sim").platform.name, "a2a3");
  EXPECT_TRUE(select_platform("a5sim").simulated);
  EXPECT_EQ(select_platform("a5sim").platform.name, "a5");
}

// All mistakes in the name are told in the same words.
std::string message(std::string_view what, std::string_view name, std::string_view help) {
  return fmt::format(
      "error: {}\n"
      "  in --platform {}\n"
      "  programs run on this CPU, or on a simulated device that a platform file describes\n"
      "  help: {}\n",
      what, name, help);
}

TEST(Select, ADeviceThatIsNotAttached) {
  EXPECT_EQ(message_of("a2a3"), message("no a2a3 device is attached", "a2a3",
                                        "use a2a3sim, the simulated Ascend 910B / 910C, one die"));
  EXPECT_EQ(message_of("a5"), message("no a5 device is attached", "a5",
                                      "use a5sim, the simulated Ascend 950, one chip"));
}

TEST(Select, UnknownNames) {
  EXPECT_EQ(message_of("A2A3-sim"),
            message("unknown platform \"A2A3-sim\"", "A2A3-sim",
                    "did you mean \"a2a3sim\"? or use one of cpu, a2a3sim, a5sim, or a path that "
                    "ends in .json"));
  EXPECT_EQ(message_of("somewhere"),
            message("unknown platform \"somewhere\"", "somewhere",
                    "use one of cpu, a2a3sim, a5sim, or a path that ends in .json"));
}

TEST(Select, FilesOfUsers) {
  // Its own directory for each process, and one whose name looks like a platform file.
  const auto directory =
      std::filesystem::path(testing::TempDir()) / fmt::format("platform_test_{}.json", ::getpid());
  std::filesystem::create_directories(directory);
  const std::string file = (directory / "mine.json").string();
  std::ofstream(file) << R"({"extends": "a5", "name": "mine"})";
  const Selected device = select_platform(file);
  EXPECT_TRUE(device.simulated);
  EXPECT_EQ(device.platform.name, "mine");
  EXPECT_EQ(device.platform.title, "variation of a5");

  std::ofstream(file) << R"({"extends": "cpu", "name": "mine"})";
  EXPECT_FALSE(select_platform(file).simulated);

  std::filesystem::remove(file);
  EXPECT_EQ(message_of(file), message("cannot read the platform file: No such file or directory",
                                      file, "give the path of a readable JSON file"));
  EXPECT_EQ(message_of(directory.string()),
            message("cannot read the platform file: it is a directory", directory.string(),
                    "give the path of a readable JSON file"));
  std::filesystem::remove(directory);
}

}  // namespace
}  // namespace tilewright::platform
