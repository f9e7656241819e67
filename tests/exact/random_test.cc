// Random programs on every described chip.
#include "../seeds.h"
#include "generator.h"
#include "support.h"

namespace exact_test {
namespace {

constexpr uint64_t kPrograms = 150;
constexpr int kInterleavings = 3;

TEST(Random, ProgramsAreExact) {
  int legal = 0;
  const uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + kPrograms; ++seed)
    for (const char* platform : {"a2a3", "a5"}) {
      SCOPED_TRACE(std::string(platform) + ", program " + std::to_string(seed));
      std::optional<Subject> subject;
      try {
        subject = make_subject(fuzz::random_program(seed), platform);
      } catch (const std::runtime_error&) {
        continue;  // some programs have mistakes on purpose
      }
      ++legal;
      expect_exact(*subject, kInterleavings);
    }
  EXPECT_GT(legal, static_cast<int>(kPrograms));
}

}  // namespace
}  // namespace exact_test
