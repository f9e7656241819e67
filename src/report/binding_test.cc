#include "tilewright/report/binding.h"

#include <gtest/gtest.h>

namespace tilewright::report {
namespace {

TEST(Binding, TheCostWhoseAbsenceHelpsMostBinds) {
  EXPECT_EQ(binding_sentence(1000, {{"HBM", "the limit of HBM", 600},
                                    {"cube", "the cubes' time", 990},
                                    {"dispatch", "the runtime's own time", 800}}),
            "Bound by HBM: without the limit of HBM it would take 600 us, 40% less; next is "
            "dispatch (20%).");
}

TEST(Binding, NothingWorthNamingIsSaidToo) {
  EXPECT_EQ(binding_sentence(1000,
                             {{"HBM", "the limit of HBM", 980}, {"cube", "the cubes' time", 1010}}),
            "No single cost binds: the largest, HBM, is worth 2.0% of the time.");
  EXPECT_EQ(binding_sentence(0, {}), "Nothing ran, so nothing binds.");
  EXPECT_EQ(binding_sentence(1000, {}), "");
}

}  // namespace
}  // namespace tilewright::report
