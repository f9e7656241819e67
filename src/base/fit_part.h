// Scales and minima of one part of a block: 16 or 32 values, codes of few bits. Used by encode.cc
// alone. Sums are trees of N terms, which the compiler can vectorise.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace tilewright::fit {

template <int N, class F>
float sum(F&& term) {
  std::array<float, N> terms;
  for (int i = 0; i < N; ++i) terms[static_cast<std::size_t>(i)] = term(i);
  std::array<float, 8> lanes{};
  for (std::size_t i = 0; i < N; i += 8)
    for (std::size_t j = 0; j < 8; ++j) lanes[j] += terms[i + j];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

// Values below are zero in every type: the smallest scale is 2^-24, that of MXFP4 is 2^-128.
inline constexpr float kTiny = 1e-36f;
inline float inverse(float v) { return std::fabs(v) < kTiny ? 0.0f : 1.0f / v; }

// The nearest of the codes low, low + 1, ..., high.
struct Linear {
  float low, high;
  float operator()(float v) const {
    constexpr float kMagic = 12582912.0f;  // 3 * 2^22: adding it rounds to a whole number
    v = v < low ? low : v;
    v = v > high ? high : v;
    return (v + kMagic) - kMagic;
  }
};

// The nearest of sixteen codes in ascending order, whole numbers of 8 bits. What is nearest changes
// at multiples of a half only, so that a table of halves has it.
struct Sixteen {
  explicit Sixteen(const std::array<float, 16>& codes) {
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      const float v = (static_cast<float>(i) + 0.5f) / 2 - kReach;
      nearest[i] = *std::ranges::min_element(codes, {}, [&](float c) { return std::fabs(c - v); });
    }
  }
  float operator()(float v) const {
    v = v < -kReach ? -kReach : v;
    v = v > kReach - 0.25f ? kReach - 0.25f : v;
    return nearest[static_cast<std::size_t>(static_cast<int>((v + kReach) * 2))];
  }
  static constexpr float kReach = 128;
  std::array<float, 512> nearest{};
};

template <int N>
float extreme(const float* x) {
  float most = 0;
  for (int i = 0; i < N; ++i)
    if (std::fabs(x[i]) > std::fabs(most)) most = x[i];
  return most;
}

// Squared error of scale * code with the nearest codes.
template <int N, class Round>
float scale_error(const float* x, float scale, const Round& round) {
  const float inv = inverse(scale);
  return sum<N>([&](int i) {
    const float e = x[i] - scale * round(x[i] * inv);
    return e * e;
  });
}

// The scale that fits the codes of the values at 1 / `inv` best, and its error with these codes.
struct Scale {
  float value = 0, error = 0;
};
template <int N, class Round>
Scale refit_scale(const float* x, float inv, const Round& round) {
  std::array<float, N> codes;
  for (int i = 0; i < N; ++i) codes[static_cast<std::size_t>(i)] = round(x[i] * inv);
  const auto code = [&](int i) { return codes[static_cast<std::size_t>(i)]; };
  const float xc = sum<N>([&](int i) { return x[i] * code(i); });
  const float cc = sum<N>([&](int i) { return code(i) * code(i); });
  const float scale = cc > 0 ? xc / cc : 0.0f;
  return {scale, sum<N>([&](int i) {
            const float e = x[i] - scale * code(i);
            return e * e;
          })};
}

// A scale for values = scale * code. Each target is a code that the value of largest magnitude is
// moved to; the scale is fitted to the codes that this gives. The first two are the ends.
template <int N, class Round>
float fit_scale(const float* x, const Round& round, std::span<const float> targets) {
  const float most = extreme<N>(x);
  if (std::fabs(most) < kTiny) return 0;
  Scale best{0, scale_error<N>(x, 0, round)};
  const auto consider = [&](Scale s) {
    if (s.error < best.error) best = s;
  };
  const float inv = 1 / most;
  for (const float target : targets) consider(refit_scale<N>(x, target * inv, round));
  for (const float target : targets.first(2))  // exact, where the fit rounds
    consider({most / target, scale_error<N>(x, most / target, round)});
  for (int again = 0; again < 2; ++again) consider(refit_scale<N>(x, inverse(best.value), round));
  return best.value;
}

// values = scale * code - minimum, codes from 0.
struct Line {
  float scale = 0, minimum = 0;
};

template <int N>
float line_error(const float* x, Line line, float top) {
  const Linear round{0, top};
  const float inv = inverse(line.scale);
  return sum<N>([&](int i) {
    const float e = x[i] + line.minimum - line.scale * round((x[i] + line.minimum) * inv);
    return e * e;
  });
}

// The line that fits the codes of `line` at 1 / `inv` best. Minima of parts have no sign.
template <int N>
Line refit_line(const float* x, float minimum, float inv, float top, bool signless) {
  const Linear round{0, top};
  std::array<float, N> q;
  for (int i = 0; i < N; ++i) q[static_cast<std::size_t>(i)] = round((x[i] + minimum) * inv);
  const auto code = [&](int i) { return q[static_cast<std::size_t>(i)]; };
  const float sx = sum<N>([&](int i) { return x[i]; });
  const float sq = sum<N>(code);
  const float sqq = sum<N>([&](int i) { return code(i) * code(i); });
  // About the mean of the codes: the difference of two large sums would lose digits.
  const float mean = sq / N;
  const float spread = sum<N>([&](int i) { return (code(i) - mean) * (code(i) - mean); });
  const float slope = sum<N>([&](int i) { return (code(i) - mean) * x[i]; });
  if (spread <= 0) return {};
  Line fitted;
  fitted.scale = slope / spread;
  fitted.minimum = fitted.scale * mean - sx / N;
  if (signless && fitted.minimum < 0) {
    fitted.minimum = 0;
    fitted.scale = sqq > 0 ? sum<N>([&](int i) { return code(i) * x[i]; }) / sqq : 0.0f;
  }
  return fitted;
}

// `tops` are what the range of the values is divided by; the last code is `top`.
template <int N>
Line fit_line(const float* x, float top, bool signless, std::span<const float> tops) {
  float low = *std::min_element(x, x + N), high = *std::max_element(x, x + N);
  if (signless) low = std::min(low, 0.0f);
  if (high - low < kTiny) return {0, -low};
  Line best{(high - low) / top, -low};
  float least = line_error<N>(x, best, top);
  const auto consider = [&](Line line) {
    const float error = line_error<N>(x, line, top);
    if (error < least) {
      least = error;
      best = line;
    }
  };
  const float inv = 1 / (high - low);
  for (const float t : tops) {
    const Line once = refit_line<N>(x, -low, t * inv, top, signless);
    consider(once);
    consider(refit_line<N>(x, once.minimum, inverse(once.scale), top, signless));
  }
  consider(refit_line<N>(x, best.minimum, inverse(best.scale), top, signless));
  return best;
}

}  // namespace tilewright::fit
