// What is inside a page is what the record says: tasks, times, bytes, producers, the critical path.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "page_file.h"
#include "tilewright/ir/plan.h"
#include "tilewright/session/predict.h"

namespace tilewright::cli {
namespace {

class PageData : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string file = directory_ / "page.html";
    ASSERT_EQ(ask(std::string("profile ") + GetParam() + " -o " + file).code, kFine);
    data_ = data_of(file_text(file));
    expected_ = session::predict(catalog_.find(GetParam()), session::request_for("a2a3sim"));
  }
  TemporaryDirectory directory_;
  Json data_;
  const catalog::Catalog catalog_ = builtin_catalog();  // outlives the session
  session::TimedRun expected_;
};

TEST_P(PageData, TasksAreThoseOfTheRecord) {
  const Json& t = data_["tasks"];
  const auto& record = *expected_.record;
  const auto& graph = *expected_.session->graph();
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
  const auto& graph = *expected_.session->graph();
  const auto counts = column(data_["tasks"]["producers"]["count"]);
  const auto distances = column(data_["tasks"]["producers"]["distance"]);
  ASSERT_EQ(counts.size(), graph.tasks.size());
  std::size_t at = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    std::set<std::size_t> told, edges;
    for (double n = 0; n < counts[t]; ++n)
      told.insert(t - static_cast<std::size_t>(distances[at++]));
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
  const auto& kernels = expected_.session->plan()->kernels;
  ASSERT_EQ(data_["inside"].size(), kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::size_t tiles = 0;
    for (const Json& m : data_["inside"][k]["memories"]) {
      int64_t alive = 0;
      for (const Json& t : m["tiles"]) {
        ++tiles;
        if (t["first"].get<int>() <= m["peak_at"].get<int>() &&
            m["peak_at"].get<int>() <= t["last"].get<int>())
          alive += t["bytes"].get<int64_t>() * t["copies"].get<int64_t>();
        EXPECT_NE(t["place"].get<std::string>(), "") << t["name"];
      }
      EXPECT_EQ(alive, m["peak"].get<int64_t>()) << kernels[k].name << " " << m["name"];
    }
    EXPECT_EQ(tiles, kernels[k].memory.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, PageData,
                         ::testing::Values("tour", "qwen3/decode", "qwen3/scope3-before"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace tilewright::cli
