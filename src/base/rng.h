// A small random generator of our own, so that its stream is the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>

namespace tilewright {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)
  int64_t integer(int64_t low, int64_t high) {                              // [low, high)
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low));
  }
  double normal() {  // Box-Muller, one value per two draws
    const double u = 1.0 - uniform();
    const double v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

 private:
  uint64_t state_;
};

// A stream of its own for every named tensor: adding a tensor does not change the others.
inline uint64_t seed_for(uint64_t seed, const char* name) {
  uint64_t h = 0xCBF29CE484222325u ^ seed;
  for (; *name; ++name) h = (h ^ static_cast<unsigned char>(*name)) * 0x100000001B3u;
  return Rng(h).next();
}

}  // namespace tilewright
