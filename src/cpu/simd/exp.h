// The numbers of exp: x = n ln 2 + r with |r| <= ln 2 / 2, exp(x) = 2^n exp(r). The series of
// exp(r) ends where its next term is below 0.05 ulp; ln 2 is cut in two so that n ln 2 is exact.
#pragma once

#include <array>

namespace tilewright::cpu::simd {

// exp of one number, the bits that every table computes; at most 2 ulp from the exact one.
float exponential(float x);

namespace exp_constants {

// Beyond these the result is 0 or infinity; the scale 2^n is applied in two halves, so that it
// stays a number and results below the normal range are rounded once more.
inline constexpr float kLowest = -105.0f;
inline constexpr float kHighest = 89.0f;
inline constexpr float kLog2E = 1.44269504088896341f;
inline constexpr float kLn2High = 0x1.62e4p-1f;
inline constexpr float kLn2Low = 0x1.7f7d1cp-20f;
inline constexpr std::array<float, 8> kTaylor = {1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24,
                                                 1.0f / 6,    0.5f,       1.0f,       1.0f};

}  // namespace exp_constants
}  // namespace tilewright::cpu::simd
