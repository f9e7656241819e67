// `profile` and `compare` as a user meets them: what they say, what they write, what they refuse.
#include <gtest/gtest.h>

#include <algorithm>

#include "../cli/plus_one.h"
#include "page_file.h"
#include "tilewright/dsl/ops.h"

namespace tilewright::cli {
namespace {

TEST(Profile, SaysWhatBindsByLeavingItOut) {
  const auto sentence = [](const std::string& flags) {
    const Json j = Json::parse(ask("profile qwen3/decode -o /dev/null --json - " + flags).out);
    return j["binding"]["sentence"].get<std::string>();
  };
  const std::vector<std::pair<std::string, std::string>> machines{
      {"--override timing.memory.hbm_gb_per_s=100", "Bound by HBM"},
      {"--override timing.cube.mad_head_cycles=100000", "Bound by cube"},
      {"--override timing.vector.exp.element_cycles=1000", "Bound by vector"},
      {"--override timing.gm.l1_latency_ns=100000", "Bound by latency"},
      {"--override runtime.dispatch_ns=100000", "Bound by dispatch"},
  };
  for (const auto& [flags, expected] : machines)
    EXPECT_TRUE(sentence(flags).starts_with(expected)) << sentence(flags);
}

TEST(Profile, AChainOfTasksIsBoundByItsDependences) {
  ProgramDef chain = plus_one("chain");
  chain.build = [](const Config&) {
    dsl::Builder p("chain");
    const dsl::Tensor x = p.state("x", {4, 4096}, DType::F32);
    for (dsl::Index i : p.range(64).named("i")) {
      auto core = p.incore("step");
      dsl::assemble(x, dsl::exp(dsl::slice(x, {4, 4096}, {0, 0})), {0, 0});
    }
    return p.finish();
  };
  const Outcome o = call("profile chain -p a2a3sim --ideal runtime -o /dev/null --json -", {chain});
  ASSERT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(Json::parse(o.out)["binding"]["sentence"].get<std::string>().starts_with(
      "Bound by dependences"))
      << o.out;
}

TEST(Profile, EscapesAreListedWithTheirKernels) {
  TemporaryDirectory d;
  ASSERT_EQ(call("profile tour -o " + (d / "p.html"), {programs::tour()}).code, kFine);
  const Json plan = Json::parse(call("check tour -p a2a3sim --json -", {programs::tour()}).out);
  const Json values = data_of(file_text(d / "p.html"))["gm_values"];
  for (const Json& e : plan["escapes"]) {
    const auto found =
        std::ranges::find_if(values, [&](const Json& v) { return v["name"] == e["value"]; });
    ASSERT_NE(found, values.end()) << e;
    EXPECT_TRUE((*found)["escape"]);
    EXPECT_EQ((*found)["from"], Json::array({e["from"]}));
    EXPECT_EQ((*found)["to"], e["to"]);
  }
}

TEST(Profile, NamesOfTheUserCannotEndTheData) {
  TemporaryDirectory d;
  ASSERT_EQ(call("profile -o " + (d / "p.html"), {plus_one("a</script><script>b<!--")}).code,
            kFine);
  const std::string page = file_text(d / "p.html");
  EXPECT_FALSE(contains(page, "a</script>"));
  EXPECT_EQ(data_of(page)["program"], "a</script><script>b<!--");
}

TEST(Profile, WhatCannotBeWrittenIsAMistakeBeforeAnythingIsDone) {
  TemporaryDirectory d;
  const Outcome nowhere = ask("profile qwen3/scope3 -o " + (d / "missing/p.html"));
  EXPECT_EQ(nowhere.code, kMistake);
  EXPECT_EQ(nowhere.out, "");
  EXPECT_EQ(std::ranges::count(nowhere.err, '\n'), 4) << nowhere.err;
  EXPECT_EQ(ask("profile qwen3/scope3 -o " + d.path.string()).code, kMistake);
  const Outcome unknown = ask("profile qwen3/scope4 -o " + (d / "p.html"));
  EXPECT_EQ(unknown.code, kMistake);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'qwen3/scope")) << unknown.err;
  EXPECT_EQ(ask("profile qwen3/scope1 --set q_n=8192 -o " + (d / "p.html")).code, kFailed);
  EXPECT_EQ(ask("profile tour -p cpu --ideal hbm -o " + (d / "p.html")).code, kMistake);
  EXPECT_TRUE(fs::is_empty(d.path));
}

TEST(Profile, ARunOnThisCpuIsARecordToo) {
  TemporaryDirectory d;
  const Outcome o = ask("profile qwen3/decode --shape tiny -p cpu -o " + (d / "p.html"));
  ASSERT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "measured")) << o.out;
  const Json data = data_of(file_text(d / "p.html"));
  EXPECT_TRUE(data["measured"]);
  const Json& t = data["tasks"];
  EXPECT_EQ(t["count"], Json::parse(ask("run qwen3/decode --shape tiny --json -").out)["tasks"]);
  const auto lane = column(t["lane"]), start = column(t["start"]), exec = column(t["exec"]);
  const auto counts = column(t["producers"]["count"]),
             distances = column(t["producers"]["distance"]);
  const double lanes = static_cast<double>(data["lanes"].size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < lane.size(); ++i) {
    EXPECT_LT(lane[i], lanes);
    for (double n = 0; n < counts[i]; ++n) {  // nothing starts before its producers have ended
      const std::size_t from = i - static_cast<std::size_t>(distances[at++]);
      EXPECT_GE(start[i], start[from] + exec[from]) << from << " before " << i;
    }
  }
  EXPECT_GT(data["all"]["gm_read"], 0);
}

TEST(Profile, WithoutANameThePageStandsInTheCurrentDirectory) {
  TemporaryDirectory d;
  const fs::path before = fs::current_path();
  fs::current_path(d.path);
  const Outcome o = ask("profile qwen3/scope3 --shape tiny");
  fs::current_path(before);
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "page: qwen3-scope3.profile.html\n")) << o.out;
  EXPECT_TRUE(file_text(d / "qwen3-scope3.profile.html").starts_with("<!doctype html>"));
}

TEST(Compare, OneProgramUnderTwoSettingsDoesTheSameWork) {
  const Json j =
      Json::parse(ask("compare qwen3/scope3 qwen3/scope3@mlp_n=256,mlp_k=64 --json -").out);
  EXPECT_TRUE(j["same_work"]);
  EXPECT_EQ(j["a"]["keys"]["mlp_n"], 64);
  EXPECT_EQ(j["b"]["keys"]["mlp_n"], 256);
  EXPECT_GT(j["speedup"], 1);
  double tasks = 0;
  for (const Json& s : j["stages"]) tasks += s["b"]["tasks"].get<double>();
  EXPECT_EQ(tasks, j["b"]["tasks"]);
}

TEST(Compare, SaysWhenTheSidesDoNotDoTheSameWork) {
  const Outcome o = ask("compare qwen3/scope1 qwen3/scope3 --shape tiny");
  EXPECT_TRUE(contains(o.out, "the two sides do not do the same work:\n  - only the first has"))
      << o.out;
  EXPECT_TRUE(contains(o.out, "multiply-adds")) << o.out;
  const Outcome same = ask("compare qwen3/scope3 qwen3/scope3-fused --shape tiny");
  EXPECT_TRUE(contains(same.out, "both sides do the same work")) << same.out;
  EXPECT_TRUE(contains(ask("compare qwen3/scope3@shape=tiny qwen3/scope3").out,
                       "hidden 128 and 8192, heads 8 and 64"));
}

Json stages_of(const std::string& line) {
  const Outcome o = ask("compare " + line + " --json -");
  EXPECT_EQ(o.code, kFine) << o.err;
  return Json::parse(o.out)["stages"];
}

TEST(Compare, KernelsArePairedByWhatTheyCompute) {
  bool found = false;
  for (const Json& s : stages_of("qwen3/scope3-before qwen3/scope3")) {
    if (s["name"] == "residual / down_residual") found = !s["a"].is_null() && !s["b"].is_null();
    // The sum is now in `down`, and before there was nothing to clear.
    EXPECT_TRUE(s["name"] != "down_add" || s["b"].is_null());
    EXPECT_TRUE(s["name"] != "clear_mlp" || s["a"].is_null());
  }
  EXPECT_TRUE(found);
}

// Two products and a sum, in one order or the other, with names that say nothing.
std::string two_products(bool swapped) {
  const auto product = [](const std::string& name, const std::string& out, const std::string& w) {
    return "        with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"" + name + "\"):\n" +
           "            " + out + " = pl.assemble(" + out +
           ", pl.matmul(pl.slice(x, [16, 64], [0, 0]), pl.slice(" + w +
           ", [64, 64], [0, 0]), out_dtype=pl.FP32), [0, 0])\n";
  };
  const std::string first =
      swapped ? product("kernel_0", "v", "wv") : product("kernel_0", "k", "wk");
  const std::string second =
      swapped ? product("kernel_1", "k", "wk") : product("kernel_1", "v", "wv");
  const auto tensor = [](const char* shape, const char* type) {
    return std::string("pl.Tensor[") + shape + ", pl." + type + "]";
  };
  return "import pypto.language as pl\n\n\n@pl.program\nclass Two:\n"
         "    @pl.function(type=pl.FunctionType.Opaque)\n    def two(self, x: " +
         tensor("[16, 64]", "BF16") + ", wk: " + tensor("[64, 64]", "BF16") +
         ", wv: " + tensor("[64, 64]", "BF16") + ", k: pl.Out[" + tensor("[16, 64]", "FP32") +
         "], v: pl.Out[" + tensor("[16, 64]", "FP32") + "]):\n" + first + second +
         "        return k, v\n";
}

TEST(Compare, ReorderedKernelsFindTheirPartners) {
  TemporaryDirectory d;
  std::ofstream(d / "a.py") << two_products(false);
  std::ofstream(d / "b.py") << two_products(true);
  const Json stages = stages_of((d / "a.py") + " " + (d / "b.py"));
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[0]["name"], "kernel_0 / kernel_1");
  EXPECT_EQ(stages[1]["name"], "kernel_1 / kernel_0");
  const Json same = stages_of((d / "a.py") + " " + (d / "a.py"));
  EXPECT_EQ(same[0]["name"], "kernel_0");
  EXPECT_EQ(same[1]["name"], "kernel_1");
}

TEST(Profile, AdviceOnThePageIsThatOfAdvise) {
  TemporaryDirectory d;
  ASSERT_EQ(ask("profile qwen3/scope3 --shape tiny -o " + (d / "p.html")).code, kFine);
  const Json page = data_of(file_text(d / "p.html"));
  const Json told = Json::parse(ask("advise qwen3/scope3 --shape tiny --json -").out)["findings"];
  ASSERT_EQ(page["advice"]["findings"].size(), told.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(page["advice"]["findings"][i]["code"], told[i]["code"]);
    EXPECT_EQ(page["advice"]["findings"][i]["after_us"], told[i]["after_us"]);
  }
  EXPECT_EQ(page["advice"]["untried"], 0);
  EXPECT_GT(page["advice"]["small"], 0) << "changes within the error of predictions are counted";
  EXPECT_EQ(page["commands"][0]["line"],
            "tilewright advise qwen3/scope3 --apply -o faster.py --shape tiny");
  EXPECT_EQ(page["commands"][1]["line"], "tilewright compare qwen3/scope3@shape=tiny faster.py");
  ASSERT_EQ(ask("profile qwen3/scope3 --shape tiny --no-advice -o " + (d / "p.html")).code, kFine);
  EXPECT_FALSE(data_of(file_text(d / "p.html")).contains("advice"));
}

TEST(Profile, LinesOfThePrintedTextTakeTheTimeOfTheirKernels) {
  TemporaryDirectory d;
  const fs::path before = fs::current_path();
  fs::current_path(d.path);  // where no source is found
  const int code = ask("profile qwen3/scope3 --no-advice -o " + (d / "p.html")).code;
  fs::current_path(before);
  ASSERT_EQ(code, kFine);
  const Json data = data_of(file_text(d / "p.html"));
  std::map<std::string, double> busy;  // by kernel, from the lines
  for (const Json& l : data["lines"]) {
    EXPECT_EQ(l["file"], "qwen3/scope3, as show prints it");
    ASSERT_EQ(l["kernels"].size(), 1u) << l;  // a printed line belongs to one scope
    busy[l["kernels"][0]] += l["busy_us"].get<double>();
  }
  for (const Json& s : data["stages"]) {
    const std::string name = data["kernels"][s["kernel"].get<std::size_t>()]["name"];
    EXPECT_NEAR(busy[name], s["busy_us"].get<double>(), 1e-3 * s["busy_us"].get<double>()) << name;
  }
}

TEST(Compare, TextFitsEightyColumns) {
  for (const char* line :
       {"compare qwen3/scope3-before qwen3/scope3", "compare qwen3/scope1 qwen3/decode",
        "compare qwen3/scope3 qwen3/scope3@mlp_n=256,mlp_k=64"}) {
    std::istringstream lines(ask(line).out);
    for (std::string text; std::getline(lines, text);) EXPECT_LE(text.size(), 80u) << text;
  }
}

TEST(Compare, BadSettingsNameTheSide) {
  for (const char* side :
       {"qwen3/scope3@mlp_n=x", "qwen3/scope3@mlp_n=", "qwen3/scope3@=3", "qwen3/scope3@mlp_q=4",
        "qwen3/scope3@shape=huge", "qwen3/scope4@mlp_n=64"}) {
    const Outcome o = ask(std::string("compare qwen3/scope3 ") + side);
    EXPECT_EQ(o.code, kMistake) << side;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 4) << o.err;
  }
}

}  // namespace
}  // namespace tilewright::cli
