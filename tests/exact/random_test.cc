// Random programs, on every described chip.
#include "generator.h"
#include "support.h"
#include "tilewright/ir/print.h"

namespace exact_test {
namespace {

uint64_t from() { return getenv("FROM") ? atoi(getenv("FROM")) : 0; }
uint64_t until() { return getenv("UNTIL") ? atoi(getenv("UNTIL")) : 100; }
TEST(Random, ProgramsAreExact) {
  int ran = 0, bad = 0;
  for (uint64_t seed = from(); seed < until(); ++seed)
    for (const char* platform : {"a2a3", "a5"}) {
      SCOPED_TRACE(std::string(platform) + " program " + std::to_string(seed));
      std::optional<Subject> s;
      try {
        s = make_subject(fuzz::random_program(seed), platform);
      } catch (const std::runtime_error&) {
        continue;
      }
      ++ran;
      for (int k = -1; k < 5; ++k) {
        golden::ExactOptions o;
        if (k >= 0) o.seed = k;
        const Outcome out = run(*s, s->plan, o);
        if (!out.clean()) {
          ++bad;
          printf("program %d %s seed %d:\n%s\n", (int)seed, platform, k, out.text().c_str());
          if (getenv("DUMP")) printf("%s", ir::print(s->plan).c_str());
          break;
        }
      }
    }
  printf("ran %d bad %d\n", ran, bad);
}

}  // namespace
}  // namespace exact_test
