// In-core timing: overlap follows from pipes and buffers.
#include <gtest/gtest.h>

#include <functional>

#include "support.h"

namespace tilewright::sim_tests {
namespace {

// The steady time of one step in ps: two depths apart, so that entry, first loads and drain cancel.
double step(int64_t k_tile, int stages, const platform::Platform& machine) {
  const auto exec = [&](int64_t steps) {
    const Ready ready(product(1, steps * k_tile, k_tile, stages), machine);
    return ready.run(machine).profiles.at(0).duration;
  };
  return static_cast<double>(exec(64) - exec(32)) / 32;
}

double cycles(double n) { return n * 1000 / a2a3().clock_ghz; }

TEST(Core, APlainLoopWaitsForEveryLoad) {
  const platform::Platform m = a2a3();
  const auto& gm = m.timing->gm;
  // The right operand: issue, 128 rows, latency, and its way to the cube; the left one hides.
  const double latency = gm.l1_latency_ns + m.timing->memory.hbm_latency_ns;
  const double load = (gm.l1_issue_ns + latency) * 1000 + cycles(128 * gm.row_cycles);
  const double move = cycles(128 * 64 * 2 / m.timing->cube.l0b_bytes_per_cycle);
  const double flags = 2 * m.timing->core.flag_ns * 1000;
  EXPECT_NEAR(step(128, 1, m), load + move + flags, 1000);
}

TEST(Core, APipelinedLoopIsAsFastAsItsLoadPipe) {
  const platform::Platform m = a2a3();
  const auto& gm = m.timing->gm;
  EXPECT_NEAR(step(128, 2, m), 2 * gm.l1_issue_ns * 1000 + cycles((128 + 16) * gm.row_cycles), 1000);
}

TEST(Core, APipelineGainsWhatLatencyCosts) {
  const platform::Platform real = a2a3();
  const platform::Platform ideal = platform::idealised(real, "latency");
  const double gain = step(128, 1, real) - step(128, 2, real);
  const double ideal_gain = step(128, 1, ideal) - step(128, 2, ideal);
  EXPECT_GT(gain, ideal_gain);
  EXPECT_GE(ideal_gain, 0);
}

TEST(Core, NarrowRowsCostRowsNotBytes) {
  const auto exec = [](const std::vector<std::string>& changes) {
    const platform::Platform m = with(a2a3(), changes);
    return Ready(product(1, 4096, 128), m).run(m).profiles.at(0).duration;
  };
  EXPECT_EQ(exec({}), exec({"timing.gm.l1_bytes_per_cycle=1000"}));
  EXPECT_LT(exec({}), exec({"timing.gm.row_cycles=10"}));
}

TEST(Core, ValuesCrossThroughGmOrDirectly) {
  const auto written = [](const platform::Platform& m) {
    return Ready(mixed(1), m).run(m).profiles.at(0).gm_write;
  };
  const int64_t result = 16 * 64 * 4;
  EXPECT_EQ(written(platform::builtin_platform("a5")), result);
  EXPECT_EQ(written(a2a3()), 2 * result) << "the product goes through a ring in GM";
}

TEST(Core, ExecutionsThatDifferOnlyInOffsetsShareAProfile) {
  const platform::Platform m = a2a3();
  EXPECT_EQ(Ready(independent(200), m).run(m).profiles.size(), 1u);
}

TEST(Core, HbmSharedByManyCoresSlowsThemDown) {
  const platform::Platform m = with(a2a3(), {"timing.memory.hbm_gb_per_s=100"});
  const auto mean_exec = [&](int64_t blocks) {
    const ir::RunRecord r = Ready(product(blocks, 4096, 128), m).run(m);
    int64_t sum = 0;
    for (const ir::TaskRecord& t : r.tasks) sum += t.end - t.start;
    return sum / blocks;
  };
  EXPECT_GT(mean_exec(24), 3 * mean_exec(1));
}

// The second reader of the same weights finds them in L2.
TEST(Core, WhatWasJustReadIsInL2) {
  const platform::Platform m = a2a3();
  const auto from_hbm = [&](const std::string& l2_bytes) {
    const platform::Platform small = with(m, {"timing.memory.l2_bytes=" + l2_bytes});
    const Ready ready(product(24, 2048, 128), small);
    int64_t sum = 0;
    for (const ir::TaskRecord& t : ready.run(small).tasks) sum += t.hbm_bytes;
    return sum;
  };
  const int64_t weights = 2048 * 24 * 64 * 2, input = 16 * 2048 * 2;
  EXPECT_EQ(from_hbm("201326592"), weights + input);
  EXPECT_EQ(from_hbm("4096"), weights + 24 * input);
}

// Of half a gigabyte, too: rows that nobody has touched yet do not come with their neighbours.
TEST(Core, RowsOfALargeTensorComeFromHbmOnce) {
  using namespace dsl;
  constexpr int64_t kTasks = 64;
  Builder p("rows_of_large");
  const Tensor x = p.input("x", {32768, 8192}, DType::BF16);
  const Tensor y = p.output("y", {kTasks * 16, 512}, DType::BF16);
  for (Index t : p.parallel(kTasks).named("t")) {
    auto core = p.incore("copy");
    assemble(y, slice(x, {16, 512}, {t * 16, 0}), {t * 16, 0});
  }
  const platform::Platform m = a2a3();
  const Ready ready(p.finish(), m);
  int64_t sum = 0;
  for (const ir::TaskRecord& t : ready.run(m).tasks) sum += t.hbm_bytes;
  EXPECT_EQ(sum, kTasks * 16 * 512 * 2);
}

// Tasks that read less than a piece of the model of L2: no byte comes without being counted.
TEST(Core, NarrowWindowsComeFromHbmOnce) {
  using namespace dsl;
  const platform::Platform m = a2a3();
  const auto from_hbm = [&](int64_t rows, int64_t cols) {
    Builder p("narrow");
    const Tensor x = p.input("x", {64, 256}, DType::BF16);
    const Tensor y = p.output("y", {64, 256}, DType::BF16);
    for (Index r : p.parallel(64 / rows).named("r"))
      for (Index c : p.parallel(256 / cols).named("c")) {
        auto core = p.incore("copy");
        assemble(y, slice(x, {rows, cols}, {r * rows, c * cols}), {r * rows, c * cols});
      }
    const Ready ready(p.finish(), m);
    int64_t sum = 0;
    for (const ir::TaskRecord& t : ready.run(m).tasks) sum += t.hbm_bytes;
    return sum;
  };
  for (const int64_t rows : {1, 4, 64})
    for (const int64_t cols : {16, 32, 64, 256}) EXPECT_EQ(from_hbm(rows, cols), 64 * 256 * 2);
}

// ---- trips that data decides ---------------------------------------------------------------------

// Rows added in a loop; `trips` gives their number from a scalar that a task computes.
int64_t rows_added(const std::function<dsl::Index(const dsl::Index&)>& trips) {
  dsl::Builder p("rows");
  const dsl::Tensor counts = p.input("counts", {1, 8}, DType::I32);
  const dsl::Tensor x = p.input("x", {32, 64}, DType::F32);
  const dsl::Tensor y = p.output("y", {1, 64}, DType::F32);
  {
    auto core = p.incore("add");
    const dsl::Tile found = add(slice(counts, {1, 8}, {0, 0}), 1);
    const dsl::Tile sum = p.full({1, 64}, DType::F32, 0.0);
    for (dsl::Index i : p.range(trips(p.read(found, {0, 0}))))
      assign(sum, add(sum, slice(x, {1, 64}, {i, 0})));
    assemble(y, sum, {0, 0});
  }
  const platform::Platform m = a2a3();
  return Ready(p.finish(), m).run(m).profiles.at(0).duration;
}

TEST(Core, ALoopThatDataBoundsTakesTheMostTripsItCan) {
  const auto constant = [](int64_t n) {
    return rows_added([n](const dsl::Index&) { return dsl::Index(n); });
  };
  EXPECT_EQ(rows_added([](const dsl::Index& n) { return min(n, 12); }), constant(12));
  EXPECT_EQ(rows_added([](const dsl::Index& n) { return n % 5; }), constant(4));
  EXPECT_EQ(rows_added([](const dsl::Index& n) { return n; }), constant(1));
  EXPECT_LT(constant(4), constant(12));
}

}  // namespace
}  // namespace tilewright::sim_tests
