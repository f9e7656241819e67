// The angles of RoPE against numbers that were worked out by hand from the equations, for heads of 8
// and theta 10000: plain frequencies 1, 0.1, 0.01 and 0.001, wavelengths 6.283, 62.83, ...
#include "support.h"
#include "tilewright/models/transformer/rope_angles.h"

namespace transformer_test {
namespace {

using checkpoint::RopeScaling;
using Type = RopeScaling::Type;

ModelConfig with_rope(const RopeScaling& rope) {
  ModelConfig c = small_config(Family::Llama, false, 4, 2);
  c.head_dim = 8;
  c.rope_theta = 1e4;
  c.rope = rope;
  return c;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-5 * expected[i]) << "pair " << i;
}

TEST(RopeAngles, Plain) {
  const RopeAngles a = rope_angles(with_rope({}));
  expect_near(a.frequencies, {1, 0.1, 0.01, 0.001});
  EXPECT_EQ(a.magnitude, 1);
}

TEST(RopeAngles, LinearDividesThemAll) {
  const RopeAngles a = rope_angles(with_rope({.type = Type::Linear, .factor = 4}));
  expect_near(a.frequencies, {0.25, 0.025, 0.0025, 0.00025});
  EXPECT_EQ(a.magnitude, 1);
}

// Of 1000 positions: wavelengths below 250 stay, those above 1000 are divided by 8. For 628.3 the
// share is s = (1000 / 628.3185 - 1) / 3 = 0.197183, and 0.802817 * 0.00125 + 0.197183 * 0.01 is
// 0.00297535.
TEST(RopeAngles, Llama3HasARampBetweenTwoWavelengths) {
  const RopeScaling rope{.type = Type::Llama3,
                         .factor = 8,
                         .original_positions = 1000,
                         .low_frequency = 1,
                         .high_frequency = 4};
  const RopeAngles a = rope_angles(with_rope(rope));
  expect_near(a.frequencies, {1, 0.1, 0.00297535, 0.000125});
  EXPECT_EQ(a.magnitude, 1);
}

// dim(32) = 8 ln(1000 / 201.062) / 18.42068 = 0.697, down to 0; dim(1) = 8 ln(159.155) / 18.42068 =
// 2.202, up to 3. The ramp is 0, 1/3, 2/3, 1 between f and f / 4: 0.1 * 2/3 + 0.025 / 3 = 0.075.
TEST(RopeAngles, YarnHasARampOverPairs) {
  const RopeScaling rope{.type = Type::Yarn, .factor = 4, .original_positions = 1000};
  const RopeAngles a = rope_angles(with_rope(rope));
  expect_near(a.frequencies, {1, 0.075, 0.005, 0.00025});
  EXPECT_NEAR(a.magnitude, 1.1386294, 1e-7);  // 0.1 ln 4 + 1
}

// With dim(4) = 8 ln(39.789) / 18.42068 = 1.600, down to 1, and dim(2) = 8 ln(79.577) / 18.42068 =
// 1.901, up to 2, the ramp is a step.
TEST(RopeAngles, YarnWithItsOwnNumbers) {
  const RopeScaling rope{.type = Type::Yarn,
                         .factor = 4,
                         .original_positions = 1000,
                         .beta_fast = 4,
                         .beta_slow = 2,
                         .attention_factor = 1.5};
  const RopeAngles a = rope_angles(with_rope(rope));
  expect_near(a.frequencies, {1, 0.1, 0.0025, 0.00025});
  EXPECT_EQ(a.magnitude, 1.5);
}

TEST(RopeAngles, DivisorsOfAFile) {
  const RopeScaling rope{.type = Type::Divisors, .divisors = {1, 2, 4, 8}};
  expect_near(rope_angles(with_rope(rope)).frequencies, {1, 0.05, 0.0025, 0.000125});
}

TEST(RopeAngles, DivisorsSayTheSame) {
  RopeScaling rope{.type = Type::Llama3, .factor = 8, .original_positions = 1000};
  const ModelConfig scaled = with_rope(rope);
  const ModelConfig divided =
      with_rope({.type = Type::Divisors, .divisors = rope_divisors(scaled)});
  const auto a = rope_angles(scaled).frequencies, b = rope_angles(divided).frequencies;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-7 * a[i]);
}

}  // namespace
}  // namespace transformer_test
