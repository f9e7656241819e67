// Platform files of users: variations of a built-in machine, and broken ones with their message.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/platform/platform.h"

namespace tilewright::platform {
namespace {

// Short spellings for the files below: "@" is a standing and a source.
std::string expand(std::string_view json) {
  std::string text;
  for (char c : json) text += c == '@' ? R"("standing": "spec", "source": "s")" : std::string(1, c);
  return text;
}
std::string vary(const std::string& fields) {
  return R"({"extends": "a2a3", "name": "x", )" + fields + "}";
}
Platform parse(std::string_view json) { return parse_platform(expand(json), "my.json"); }

TEST(Variation, ChangesOnlyWhatItGives) {
  const Platform p = parse(R"({
    "extends": "a2a3",
    "name": "wide",
    "rules": "may-2026",
    "cores": {"cube": {"value": 20, @}, "vector": {"value": 40, @}},
    "memories": {"Acc": {"physical": {"value": 262144, "standing": "assumed", "source": "me"}}}
  })");
  const Platform& base = builtin_platform("a2a3");
  EXPECT_EQ(p.name, "wide");
  EXPECT_EQ(p.title, "variation of a2a3");
  EXPECT_TRUE(p.device);
  EXPECT_EQ(p.rules, "may-2026");
  EXPECT_EQ(p.cube_cores, 20);
  EXPECT_EQ(p.vector_cores, 40);
  EXPECT_EQ(p.clock_ghz, base.clock_ghz);
  EXPECT_EQ(p.memory(MemorySpace::Acc)->physical, 262144);
  EXPECT_EQ(p.memory(MemorySpace::Acc)->safe, 262144) << "follows the physical size";
  EXPECT_EQ(p.memory(MemorySpace::Acc)->alignment, 128);
  EXPECT_EQ(p.memory(MemorySpace::Vec)->safe, 188416);
  EXPECT_EQ(p.routes.size(), base.routes.size());

  // The new source replaces the old one; the rest is kept.
  EXPECT_EQ(p.facts.size(), base.facts.size());
  EXPECT_EQ(p.fact("memories.Acc.physical")->value, 262144);
  EXPECT_EQ(p.fact("memories.Acc.physical")->standing, Standing::Assumed);
  EXPECT_EQ(p.fact("memories.Acc.physical")->source, "me");
  EXPECT_EQ(p.fact("memories.Vec.physical")->source, base.fact("memories.Vec.physical")->source);
}

TEST(Variation, ReplacesRoutesAndLimits) {
  const Platform p = parse(vary(R"("title": "loose",
    "memories": {"Vec": {"physical": {"value": "unlimited", @}, "safe": {"value": 65536, @}}},
    "routes": {"value": ["GM->Vec", "Vec->GM"], @})"));
  EXPECT_EQ(p.title, "loose");
  EXPECT_EQ(p.memory(MemorySpace::Vec)->physical, std::nullopt);
  EXPECT_EQ(p.memory(MemorySpace::Vec)->safe, 65536);
  EXPECT_EQ(p.routes.size(), 2u);
  EXPECT_TRUE(p.has_route(MemorySpace::Vec, MemorySpace::GM));
  EXPECT_FALSE(p.has_route(MemorySpace::GM, MemorySpace::Mat));
  EXPECT_EQ(p.fact("routes")->text, "GM->Vec, Vec->GM");
  EXPECT_EQ(p.fact("memories.Vec.physical")->text, "unlimited");
}

TEST(Variation, ACompleteFileNeedsNoBase) {
  const Platform p = parse(R"({
    "name": "small", "title": "a small device", "device": true, "rules": "exact",
    "cores": {"cube": {"value": 1, @}, "vector": {"value": 1, @},
              "vectors_per_cluster": {"value": 1, @}, "clock_ghz": {"value": 0.5, @}},
    "transfer": {"dma_row_bytes": {"value": 32, @}},
    "fractal": {"rows": {"value": 8, @}, "bytes": {"value": 16, @}},
    "memories": {"Vec": {"physical": {"value": 4096, @}, "alignment": {"value": 32, @}}},
    "routes": {"value": ["GM->Vec"], @}
  })");
  EXPECT_EQ(p.clock_ghz, 0.5);
  EXPECT_EQ(p.fractal_rows, 8);
  EXPECT_EQ(p.memory(MemorySpace::Vec)->safe, 4096);
  EXPECT_EQ(p.memory(MemorySpace::Mat), nullptr);
}

struct Broken {
  const char* name;
  std::string json;
  std::string_view message;
};

const std::vector<Broken>& broken_files() {
  static const std::vector<Broken> kFiles{
      {"BrokenJson",
       R"({
  "name": "x",
}
)",
       "error: broken JSON: unexpected '}'; expected string literal\n"
       "  at my.json:3:1\n"
       "  the file must be JSON (RFC 8259): no comments, no trailing commas\n"
       "  help: correct the text at or just before this position\n"},
      {"EmptyFile", R"()",
       "error: broken JSON: unexpected end of input; expected '[', '{', or a literal\n"
       "  at my.json:1:1\n"
       "  the file must be JSON (RFC 8259): no comments, no trailing commas\n"
       "  help: correct the text at or just before this position\n"},
      {"CutOff", R"({"name": "x", "cores": {)",
       "error: broken JSON: unexpected end of input; expected string literal\n"
       "  at my.json:1:25\n"
       "  the file must be JSON (RFC 8259): no comments, no trailing commas\n"
       "  help: correct the text at or just before this position\n"},
      {"NotAnObject", R"(["a2a3"])",
       "error: the file holds an array, not an object\n"
       "  at my.json:1\n"
       "  a platform file is one JSON object\n"
       "  help: start with {\"extends\": \"a2a3\", ...}\n"},
      {"MissingName", R"({"extends": "a2a3"})",
       "error: field name is missing\n"
       "  at my.json:1\n"
       "  reports and messages identify a platform by its name\n"
       "  help: add \"name\": \"my_chip\"\n"},
      {"MissingField",
       R"({
  "name": "x"
})",
       "error: field title is missing\n"
       "  at my.json:1\n"
       "  a platform file must give every field that its base platform does not have\n"
       "  help: add it, or start from a machine with \"extends\": \"a2a3\"\n"},
      {"MissingSection", R"({"name": "x", "title": "x", "device": true, "rules": "exact"})",
       "error: field cores is missing\n"
       "  at my.json:1\n"
       "  a platform file must give every field that its base platform does not have\n"
       "  help: add it, or start from a machine with \"extends\": \"a2a3\"\n"},
      {"DeviceFromCpuNeedsCores", R"({"extends": "cpu", "name": "x", "device": true})",
       "error: field cores is missing\n"
       "  at my.json:1\n"
       "  a platform file must give every field that its base platform does not have\n"
       "  help: add it, or start from a machine with \"extends\": \"a2a3\"\n"},
      {"UnknownField",
       R"({
  "extends": "a2a3", "name": "x",
  "memorys": {}
})",
       "error: field memorys is not known\n"
       "  at my.json:3\n"
       "  the fields here are extends, name, title, device, rules, cores, transfer, fractal, "
       "memories, routes, timing, spread, runtime; an unknown one would have no effect\n"
       "  help: did you mean \"memories\"?\n"},
      {"UnknownFieldInAMemory", vary(R"("memories": {"Vec": {"physcal": {}}})"),
       "error: field memories.Vec.physcal is not known\n"
       "  at my.json:1\n"
       "  the fields here are physical, safe, alignment; an unknown one would have no effect\n"
       "  help: did you mean \"physical\"?\n"},
      {"UnknownFieldFarFromAll", vary(R"("cores": {"turbo": true})"),
       "error: field cores.turbo is not known\n"
       "  at my.json:1\n"
       "  the fields here are cube, vector, vectors_per_cluster, clock_ghz; an unknown one would "
       "have no effect\n"
       "  help: delete it\n"},
      {"UnknownMachineToExtend", R"({"extends": "a3", "name": "x"})",
       "error: field extends is \"a3\"\n"
       "  at my.json:1\n"
       "  a file can extend the built-in machines cpu, a2a3, a5\n"
       "  help: did you mean \"a5\"?\n"},
      {"MistypedName", R"({"extends": "a2a3", "name": 7})",
       "error: field name is 7, not a string\n"
       "  at my.json:1\n"
       "  every field has one type\n"
       "  help: give a string\n"},
      {"EmptyName", R"({"extends": "a2a3", "name": ""})",
       "error: field name is empty\n"
       "  at my.json:1\n"
       "  names and sources must not be empty\n"
       "  help: write at least one word\n"},
      {"MistypedDevice", vary(R"("device": "yes")"),
       "error: field device is \"yes\", not true or false\n"
       "  at my.json:1\n"
       "  every field has one type\n"
       "  help: give true or false\n"},
      {"MistypedSection", vary(R"("cores": [24, 48])"),
       "error: field cores is an array, not an object\n"
       "  at my.json:1\n"
       "  every field has one type\n"
       "  help: give an object\n"},
      {"MistypedMemory", vary(R"("memories": {"Vec": 196608})"),
       "error: field memories.Vec is 196608, not an object\n"
       "  at my.json:1\n"
       "  every field has one type\n"
       "  help: give an object\n"},
      {"NumberWithoutSource", vary(R"("memories": {"Vec": {"physical": 196608}})"),
       "error: field memories.Vec.physical is 196608 without a source\n"
       "  at my.json:1\n"
       "  every value must state its source and its standing\n"
       "  help: write {\"value\": ..., \"standing\": \"assumed\", \"source\": \"where it comes "
       "from\"}\n"},
      {"MissingSource", vary(R"("transfer": {"dma_row_bytes": {"value": 64, "standing": "spec"}})"),
       "error: field transfer.dma_row_bytes.source is missing\n"
       "  at my.json:1\n"
       "  every value must state its source and its standing\n"
       "  help: write {\"value\": ..., \"standing\": \"assumed\", \"source\": \"where it comes "
       "from\"}\n"},
      {"UnknownStanding",
       vary(
           R"("transfer": {"dma_row_bytes": {"value": 64, "standing": "measurd", "source": "s"}})"),
       "error: field transfer.dma_row_bytes.standing is \"measurd\"\n"
       "  at my.json:1\n"
       "  the standing of a value is spec, measured, fitted or assumed\n"
       "  help: did you mean \"measured\"?\n"},
      {"NegativeSize", vary(R"("memories": {"Vec": {"physical": {"value": -1, @}}})"),
       "error: field memories.Vec.physical.value is -1\n"
       "  at my.json:1\n"
       "  sizes and counts are whole numbers from 1 to 9007199254740992\n"
       "  help: give a whole number in this range\n"},
      {"ZeroSize", vary(R"("memories": {
  "Mat": {"physical": {"value": 0, @}}})"),
       "error: field memories.Mat.physical.value is 0\n"
       "  at my.json:2\n"
       "  sizes and counts are whole numbers from 1 to 9007199254740992\n"
       "  help: give a whole number in this range\n"},
      {"FractionOfACore", vary(R"("cores": {"cube": {"value": 2.5, @}})"),
       "error: field cores.cube.value is 2.5\n"
       "  at my.json:1\n"
       "  sizes and counts are whole numbers from 1 to 2147483647\n"
       "  help: give a whole number in this range\n"},
      {"TooManyCores", vary(R"("cores": {"cube": {"value": 1e12, @}})"),
       "error: field cores.cube.value is 1000000000000\n"
       "  at my.json:1\n"
       "  sizes and counts are whole numbers from 1 to 2147483647\n"
       "  help: give a whole number in this range\n"},
      {"SizeInWords", vary(R"("memories": {"Vec": {"physical": {"value": "192 KiB", @}}})"),
       "error: field memories.Vec.physical.value is \"192 KiB\"\n"
       "  at my.json:1\n"
       "  sizes and counts are whole numbers from 1 to 9007199254740992\n"
       "  help: give a whole number in this range\n"},
      {"ZeroClock", vary(R"("cores": {"clock_ghz": {"value": 0, @}})"),
       "error: field cores.clock_ghz.value is 0\n"
       "  at my.json:1\n"
       "  a rate is a number from 1e-06 to 1e+15, in GHz\n"
       "  help: give a number in this range\n"},
      {"SafeAbovePhysical", vary(R"("memories": {"Vec": {"physical": {"value": 131072, @}}})"),
       "error: field memories.Vec.safe is 188416, more than the physical 131072\n"
       "  at my.json:1\n"
       "  the safe size must not exceed the physical size\n"
       "  help: give a safe size of at most 131072\n"},
      {"SafeUnlimited", vary(R"("memories": {"Vec": {"safe": {"value": "unlimited", @}}})"),
       "error: field memories.Vec.safe is unlimited, more than the physical 196608\n"
       "  at my.json:1\n"
       "  the safe size must not exceed the physical size\n"
       "  help: give a safe size of at most 196608\n"},
      {"OddAlignment", vary(R"("memories": {"Vec": {"alignment": {"value": 48, @}}})"),
       "error: field memories.Vec.alignment is 48\n"
       "  at my.json:1\n"
       "  an alignment is a power of two\n"
       "  help: use 64\n"},
      {"CoresThatDoNotAddUp", vary(R"("cores": {"cube": {"value": 20, @}})"),
       "error: field cores.vector is 48, but 20 cube cores with 2 vectors each make 40\n"
       "  at my.json:1\n"
       "  a cluster consists of one cube core and its vector cores\n"
       "  help: change cube, vector and vectors_per_cluster together\n"},
      {"UnknownMemory", vary(R"("memories": {"Vex": {}})"),
       "error: field memories.Vex is not a memory of a core\n"
       "  at my.json:1\n"
       "  the memories of a core are Vec, Mat, Left, Right, Acc, Bias\n"
       "  help: did you mean \"Vec\"?\n"},
      {"SharedMemory", vary(R"("memories": {"GM": {}})"),
       "error: field memories.GM is not a memory of a core\n"
       "  at my.json:1\n"
       "  the memories of a core are Vec, Mat, Left, Right, Acc, Bias\n"
       "  help: delete it\n"},
      {"DuplicateMemory", vary(R"("memories": {
  "Vec": {},
  "Mat": {},
  "Vec": {}
})"),
       "error: field memories.Vec is given twice\n"
       "  at my.json:4, first at line 2\n"
       "  a JSON object has each field at most once\n"
       "  help: delete one of the two\n"},
      {"UnknownRouteEnd", vary(R"("routes": {"value": ["GM->L1"], @})"),
       "error: field routes.value.0 is \"GM->L1\"\n"
       "  at my.json:1\n"
       "  a route joins two of GM, Vec, Mat, Left, Right, Acc, Bias with an arrow\n"
       "  help: write it as \"GM->Vec\"\n"},
      {"RouteThatIsNotText", vary(R"("routes": {"value": [["GM", "Vec"]], @})"),
       "error: field routes.value.0 is an array\n"
       "  at my.json:1\n"
       "  a route joins two of GM, Vec, Mat, Left, Right, Acc, Bias with an arrow\n"
       "  help: write it as \"GM->Vec\"\n"},
      {"RouteTwice", vary(R"("routes": {"value": ["GM->Vec", "GM->Vec"], @})"),
       "error: field routes.value.1 repeats \"GM->Vec\"\n"
       "  at my.json:1\n"
       "  a route must be listed once\n"
       "  help: delete one of the two\n"},
      {"RoutesAsAWord", vary(R"("routes": {"value": "every", @})"),
       "error: field routes.value is a string\n"
       "  at my.json:1\n"
       "  the value is \"all\" or an array of routes\n"
       "  help: write [\"GM->Vec\", \"Vec->GM\"]\n"},
      {"RouteToNoMemory",
       R"({"name": "x", "title": "x", "device": false, "rules": "exact",
"fractal": {"rows": {"value": 1, @}, "bytes": {"value": 1, @}},
"memories": {},
"routes": {"value": ["GM->Vec"], @}})",
       "error: field routes.value.0 is \"GM->Vec\", but there is no memory Vec\n"
       "  at my.json:4\n"
       "  a route joins memories that the machine has\n"
       "  help: describe memories.Vec, or delete the route\n"},
      {"UnknownRules", vary(R"("rules": "april-2025")"),
       "error: field rules is \"april-2025\"\n"
       "  at my.json:1\n"
       "  the runtime rules are exact, april-2026, 2026-04-12, 2026-04-13, 2026-04-15, 2026-04-18, "
       "2026-04-22, 2026-04-23, 2026-04-24, 2026-04-29, 2026-04-30, 2026-05-06, may-2026, 2026-05-26, "
       "2026-06-03, 2026-06-08, june-2026, july-2026, 2026-07-02, 2026-07-09, august-2026\n"
       "  help: did you mean \"april-2026\"?\n"},
  };
  return kFiles;
}

TEST(BrokenFile, SaysWhatWhereWhyAndTheWayOut) {
  for (const Broken& file : broken_files()) {
    SCOPED_TRACE(file.name);
    try {
      parse(file.json);
      ADD_FAILURE() << "accepted";
    } catch (const UserError& e) {
      EXPECT_EQ(e.diagnostic().text(), file.message);
    }
  }
}

}  // namespace
}  // namespace tilewright::platform
