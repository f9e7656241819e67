// What a measurement is held against.
#include "tilewright/runtime/measure.h"

#include <cmath>

#include "support.h"

namespace runtime_test {
namespace {

TEST(Series, IsHeldAgainstLimitsMeasuredAroundIt) {
  const TemporaryDirectory dir;
  models::transformer::write_synthetic({transformer_test::small_config(Family::Qwen3, true, 4, 2),
                                        DType::BF16, 1},
                                       dir / "m");
  const Checkpoint model = checkpoint::open_checkpoint(dir / "m");
  Engine engine(model, small_options());
  runtime::Machine machine(engine.pool(), engine.instructions());
  for (int i = 0; i < 9; ++i) machine.measure();  // in some earlier minute
  const runtime::Series s = runtime::measure_series(engine, machine, {2, 5, 3}, 2);
  // Twice before the first repetition and after each, and those of earlier are forgotten.
  EXPECT_EQ(machine.measurements(), 6u);
  EXPECT_EQ(s.limits.bytes_per_second, machine.bytes_per_second());
  EXPECT_EQ(s.limits.flops_per_second, machine.flops_per_second());
  EXPECT_EQ(s.prompt.seconds.count(), 2u);
  EXPECT_EQ(s.prompt.tokens, 10);
  EXPECT_EQ(s.decode.tokens, 6);
  EXPECT_EQ(s.decode.reach(s.limits),
            s.decode.work.least_seconds(s.limits) / s.decode.seconds.best());
}

// Regions without a whole piece for each thread do not count: then it reads memory of its own.
TEST(Machine, MeasuresAlsoWhereThereIsTooLittleToRead) {
  cpu::Pool pool(2);
  runtime::Machine machine(pool);
  const std::vector<std::byte> little(300);
  machine.read_from({little});
  machine.measure();
  EXPECT_GT(machine.bytes_per_second(), 0);
  EXPECT_TRUE(std::isfinite(machine.bytes_per_second()));
}

TEST(Engine, NamesTheMemoryOfItsWeights) {
  const TemporaryDirectory dir;
  models::transformer::write_synthetic({transformer_test::small_config(Family::Qwen3, true, 4, 2),
                                        DType::BF16, 1},
                                       dir / "m");
  const Checkpoint model = checkpoint::open_checkpoint(dir / "m");
  const Engine engine(model, small_options());
  int64_t bytes = 0;
  for (const auto& region : engine.weight_regions()) bytes += static_cast<int64_t>(region.size());
  // Packed weights are filled up to whole panels.
  EXPECT_GE(bytes, engine.layer_bytes() + engine.head_bytes());
  EXPECT_LE(bytes, engine.memory_bytes());
}

TEST(Timing, NeverReachesMoreThanItsLimit) {
  runtime::Timing t;
  t.work = {.bytes = 100, .flops = 0};
  t.seconds.add(4);
  EXPECT_EQ(t.reach({.bytes_per_second = 50, .flops_per_second = 1}), 0.5);
  t.seconds.add(1);  // twice as fast as the memory was when its rate was measured
  EXPECT_EQ(t.reach({.bytes_per_second = 50, .flops_per_second = 1}), 1);
}

}  // namespace
}  // namespace runtime_test
