// Where the random tests begin. Usually at 0, so that every run of the tests is the same; every round
// of `./dev soak` goes on from another seed, which it prints and gives in TILEWRIGHT_SEED.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tilewright {

inline uint64_t first_seed() {
  const char* text = std::getenv("TILEWRIGHT_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

// Whether `./dev soak` runs the test: one that has a number of its own to reach then takes it.
inline bool soaking() { return std::getenv("TILEWRIGHT_SEED") != nullptr; }

}  // namespace tilewright
