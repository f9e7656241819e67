// What is inside a page is what the record says: tasks, times, bytes, producers, the critical path.
// No browser is needed for this.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "../cli/support.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/harness/predict.h"

namespace tilewright::cli {
namespace {

using Json = nlohmann::json;

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The JSON between the tags of the page's data.
Json data_of(const std::string& page) {
  const std::string tag = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = page.find(tag) + tag.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

template <class T>
std::vector<double> values_of(const std::string& bytes) {
  std::vector<T> typed(bytes.size() / sizeof(T));
  std::memcpy(typed.data(), bytes.data(), bytes.size());
  return {typed.begin(), typed.end()};
}

std::vector<double> column(const Json& c) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t group = 0;
  int bits = 0;
  for (char ch : c["data"].get<std::string>()) {
    if (ch == '=') break;
    group = group << 6 | static_cast<uint32_t>(digits.find(ch));
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xff);
  }
  const std::string type = c["type"];
  if (type == "u8") return values_of<uint8_t>(bytes);
  if (type == "u16") return values_of<uint16_t>(bytes);
  if (type == "u32") return values_of<uint32_t>(bytes);
  if (type == "i32") return values_of<int32_t>(bytes);
  return values_of<double>(bytes);
}

Outcome ask(const std::string& line) { return call(line, builtin_catalog()); }

class PageData : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string file = directory_ / "page.html";
    ASSERT_EQ(ask(std::string("profile ") + GetParam() + " -o " + file).code, kFine);
    data_ = data_of(file_text(file));
    harness::SimRequest request;
    static_cast<harness::Request&>(request) = harness::request_for("a2a3sim");
    expected_ = harness::predict(builtin_catalog().find(GetParam()), request);
  }
  TemporaryDirectory directory_;
  Json data_;
  harness::SimResult expected_;
};

TEST_P(PageData, TasksAreThoseOfTheRecord) {
  const Json& t = data_["tasks"];
  const auto& record = *expected_.record;
  const auto& graph = *expected_.prepared->graph;
  ASSERT_EQ(t["count"], record.tasks.size());
  const auto kernel = column(t["kernel"]), lane = column(t["lane"]), start = column(t["start"]),
             exec = column(t["exec"]), head = column(t["head"]), tail = column(t["tail"]),
             read = column(t["gm_read"]), hbm = column(t["hbm"]);
  const double tick = t["tick_ps"];
  const int64_t origin = record.first_dispatch();
  for (std::size_t i = 0; i < record.tasks.size(); ++i) {
    const ir::TaskRecord& r = record.tasks[i];
    ASSERT_EQ(kernel[i], graph.tasks[i].kernel.index());
    ASSERT_EQ(lane[i], r.lane);
    ASSERT_NEAR(start[i] * tick, static_cast<double>(r.start - origin), tick / 2);
    ASSERT_NEAR(exec[i] * tick, static_cast<double>(r.end - r.start), tick / 2);
    ASSERT_NEAR(head[i] * tick, static_cast<double>(r.start - r.dispatch), tick / 2);
    ASSERT_NEAR(tail[i] * tick, static_cast<double>(r.finish - r.end), tick / 2);
    ASSERT_EQ(read[i], record.profiles[r.profile].gm_read);
    ASSERT_EQ(hbm[i], r.hbm_bytes);
  }
}

TEST_P(PageData, ProducersAreTheEdgesOfTheGraph) {
  const auto& graph = *expected_.prepared->graph;
  const auto counts = column(data_["tasks"]["producers"]["count"]);
  const auto distances = column(data_["tasks"]["producers"]["distance"]);
  ASSERT_EQ(counts.size(), graph.tasks.size());
  std::size_t at = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    std::set<std::size_t> told, edges;
    for (double n = 0; n < counts[t]; ++n) told.insert(t - static_cast<std::size_t>(distances[at++]));
    for (const ir::Edge& e : graph.preds(ir::TaskId(t))) edges.insert(e.from.index());
    ASSERT_EQ(told, edges) << t;
  }
  EXPECT_EQ(at, distances.size());
}

TEST_P(PageData, FiguresPathAndSharesAreThoseOfTheProfile) {
  const report::Profile& p = *expected_.profile;
  EXPECT_DOUBLE_EQ(data_["all"]["total_us"], p.all.total_us);
  EXPECT_DOUBLE_EQ(data_["all"]["roofline_us"], p.all.roofline_us);
  const auto path = column(data_["path"]["task"]);
  ASSERT_EQ(path.size(), p.path.steps.size());
  for (std::size_t i = 0; i < path.size(); ++i) ASSERT_EQ(path[i], p.path.steps[i].task.index());
  ASSERT_EQ(data_["stages"].size(), p.stages.size());
  int64_t tasks = 0;
  for (const Json& s : data_["stages"]) tasks += s["tasks"].get<int64_t>();
  EXPECT_EQ(tasks, p.all.tasks);
  double lines = 0;
  for (const Json& l : data_["lines"]) lines += l["share"].get<double>();
  EXPECT_NEAR(lines, 1, 1e-9);
}

TEST_P(PageData, MemoryMapsHoldThePlansTiles) {
  const auto& kernels = expected_.prepared->plan->kernels;
  ASSERT_EQ(data_["inside"].size(), kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::size_t tiles = 0;
    for (const Json& m : data_["inside"][k]["memories"]) {
      int64_t alive = 0;
      for (const Json& t : m["tiles"]) {
        ++tiles;
        if (t["first"].get<int>() <= m["peak_at"].get<int>() && m["peak_at"].get<int>() <= t["last"].get<int>())
          alive += t["bytes"].get<int64_t>() * t["copies"].get<int64_t>();
        EXPECT_NE(t["place"].get<std::string>(), "") << t["name"];
      }
      EXPECT_EQ(alive, m["peak"].get<int64_t>()) << kernels[k].name << " " << m["name"];
    }
    EXPECT_EQ(tiles, kernels[k].memory.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, PageData, ::testing::Values("tour", "qwen3/decode", "qwen3/scope3-before"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

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
  for (const auto& [flags, expected] : machines) EXPECT_TRUE(sentence(flags).starts_with(expected)) << sentence(flags);
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
  EXPECT_TRUE(Json::parse(o.out)["binding"]["sentence"].get<std::string>().starts_with("Bound by dependences")) << o.out;
}

TEST(Profile, EscapesAreListedWithTheirKernels) {
  TemporaryDirectory d;
  ASSERT_EQ(call("profile tour -o " + (d / "p.html"), {programs::tour()}).code, kFine);
  const Json plan = Json::parse(call("check tour -p a2a3sim --json -", {programs::tour()}).out);
  const Json values = data_of(file_text(d / "p.html"))["gm_values"];
  for (const Json& e : plan["escapes"]) {
    const auto found = std::ranges::find_if(values, [&](const Json& v) { return v["name"] == e["value"]; });
    ASSERT_NE(found, values.end()) << e;
    EXPECT_TRUE((*found)["escape"]);
    EXPECT_EQ((*found)["from"], Json::array({e["from"]}));
    EXPECT_EQ((*found)["to"], e["to"]);
  }
}

TEST(Profile, NamesOfTheUserCannotEndTheData) {
  TemporaryDirectory d;
  ASSERT_EQ(call("profile -o " + (d / "p.html"), {plus_one("a</script><script>b<!--")}).code, kFine);
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
  EXPECT_EQ(ask("profile qwen3/scope1 --set q_n=8192 -o " + (d / "p.html")).code, kMistake);
  EXPECT_EQ(ask("profile tour -p cpu -o " + (d / "p.html")).code, kMistake);
  EXPECT_TRUE(fs::is_empty(d.path));
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
  const Json j = Json::parse(ask("compare qwen3/scope3 qwen3/scope3@mlp_n=256,mlp_k=64 --json -").out);
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
  EXPECT_TRUE(contains(o.out, "the two sides do not do the same work:\n  - only the first has")) << o.out;
  EXPECT_TRUE(contains(o.out, "multiply-adds")) << o.out;
  const Outcome same = ask("compare qwen3/scope3 qwen3/scope3-fused --shape tiny");
  EXPECT_TRUE(contains(same.out, "both sides do the same work")) << same.out;
  EXPECT_TRUE(contains(ask("compare qwen3/scope3@shape=tiny qwen3/scope3").out, "hidden 128 and 8192, heads 8 and 64"));
}

TEST(Compare, TextFitsEightyColumns) {
  for (const char* line : {"compare qwen3/scope3-before qwen3/scope3", "compare qwen3/scope1 qwen3/decode",
                           "compare qwen3/scope3 qwen3/scope3@mlp_n=256,mlp_k=64"}) {
    std::istringstream lines(ask(line).out);
    for (std::string text; std::getline(lines, text);) EXPECT_LE(text.size(), 80u) << text;
  }
}

TEST(Compare, BadSettingsNameTheSide) {
  for (const char* side : {"qwen3/scope3@mlp_n=x", "qwen3/scope3@mlp_n=", "qwen3/scope3@=3", "qwen3/scope3@mlp_q=4",
                           "qwen3/scope3@shape=huge", "qwen3/scope4@mlp_n=64"}) {
    const Outcome o = ask(std::string("compare qwen3/scope3 ") + side);
    EXPECT_EQ(o.code, kMistake) << side;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 4) << o.err;
  }
}

}  // namespace
}  // namespace tilewright::cli
