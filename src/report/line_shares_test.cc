#include "tilewright/ir/plan.h"
#include "tilewright/report/line_shares.h"

#include <gtest/gtest.h>

namespace tilewright::report {
namespace {

using namespace ir;

Op at_line(uint32_t line) {
  Op op;
  op.place = {"a.cc", line, 0};
  return op;
}

TEST(LineShares, MomentsAreDividedAmongWhatRunsAndGapsGoToWhatEndedLast) {
  const Op load = at_line(10), multiply = at_line(11);
  Plan plan;
  plan.kernels.resize(1);
  plan.kernels[0].place = {"a.cc", 9, 0};
  RunRecord record;
  record.profiles.resize(1);
  KernelProfile& p = record.profiles[0];
  p.kernel = KernelId(0);
  p.duration = 100;
  p.slices = {{CoreSide::Cube, Pipe::Mte2, 10, 40, &load},      // before it: the scope
              {CoreSide::Cube, Pipe::Cube, 30, 60, &multiply},  // 30..40 is shared
              {CoreSide::Cube, Pipe::Mte2, 80, 90, &load}};     // 60..80 belongs to multiply
  record.tasks.resize(2);
  record.tasks[0].end = 100;  // as long as its profile
  record.tasks[1].end = 300;  // HBM slowed it down three times

  const auto lines = line_shares(plan, record);
  ASSERT_EQ(lines.size(), 3u);
  const double all = 400e-6;  // microseconds of core time
  const auto expect = [&](const LineShare& l, uint32_t line, double share) {
    EXPECT_EQ(l.line, line);
    EXPECT_NEAR(l.share, share, 1e-12);
    EXPECT_NEAR(l.busy_us, share * all, 1e-15);
    EXPECT_EQ(l.kernels, std::vector{KernelId(0)});
  };
  expect(lines[0], 9, 0.10);
  expect(lines[1], 10, 0.20 + 0.05 + 0.10 + 0.10);  // and the 10 after it has ended
  expect(lines[2], 11, 0.05 + 0.20 + 0.20);
}

}  // namespace
}  // namespace tilewright::report
