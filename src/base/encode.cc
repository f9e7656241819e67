#include "tilewright/base/encode.h"

#include <cstring>
#include <limits>
#include <vector>

#include "tilewright/base/check.h"
#include "tilewright/base/encoding.h"
#include "tilewright/base/fit_part.h"

namespace tilewright {
namespace {

using fit::inverse;
using fit::Line;
using fit::Linear;
using fit::Sixteen;

constexpr int kRounds = 3;  // of fitting parts and blocks in turn; later ones gain less than 0.1 %

uint16_t half_of(float v) {
  return f16_from_f32(std::clamp(v, -kLargestEncodable, kLargestEncodable));
}
// For the scale of a block with scales of parts: these are whole numbers below a limit, so that
// among the coarse subnormals the larger scale is the safe one.
uint16_t unit_of(float v) {
  const uint16_t h = half_of(v);
  const bool coarse = (h & 0x7C00) == 0 && std::fabs(f32_from_f16(h)) < std::fabs(v);
  return coarse ? static_cast<uint16_t>(h + 1) : h;
}
// The F16 numbers around `v`: rounding may be far off where they are subnormal.
struct Halves {
  explicit Halves(float v) {
    const uint16_t h = half_of(v);
    bits = {h, h, static_cast<uint16_t>(h + 1)};
    if ((h & 0x7FFF) != 0) bits[0] = static_cast<uint16_t>(h - 1);
    if ((bits[2] & 0x7C00) == 0x7C00) bits[2] = h;
  }
  std::array<uint16_t, 3> bits{};
};

// Codes that the value of largest magnitude may have: the ends first, then a grid beyond and below.
std::vector<float> targets_between(float low, float high, float from, float to, int steps) {
  std::vector<float> out{low, high};
  for (int i = 0; i <= steps; ++i) {
    const float share = from + (to - from) * static_cast<float>(i) / static_cast<float>(steps);
    out.push_back(low * share);
    out.push_back(high * share);
  }
  return out;
}

std::array<float, 16> sorted_codes(DType t) {
  std::array<float, 16> codes{};
  for (std::size_t i = 0; i < 16; ++i) codes[i] = encoding_of(t).table[i];
  std::ranges::sort(codes);
  return codes;
}

uint8_t stored_code(const Encoding& e, float code) {
  const int c = static_cast<int>(code);
  if (!e.table) return static_cast<uint8_t>(c + e.offset);
  return static_cast<uint8_t>(std::find(e.table, e.table + 16, c) - e.table);
}

// Types without minima. `Round` gives the nearest code.
template <int N, class Round>
class Scaled {
 public:
  Scaled(DType t, Round round, std::vector<float> targets)
      : type_(t), encoding_(encoding_of(t)), round_(round), targets_(std::move(targets)) {}

  void encode(const float* x, BlockFields& out) const {
    if (encoding_.part_scales) {
      encode_parts(x, out);
    } else if (type_ == DType::MXFP4) {
      encode_power(x, out);
    } else {
      const float fitted = fit::fit_scale<N>(x, round_, targets_);
      pick(x, Halves(fitted).bits, out);
    }
  }

 private:
  static constexpr int kParts = kLargestBlock / N;

  template <class Candidates>
  void pick(const float* x, const Candidates& candidates, BlockFields& out) const {
    float least = std::numeric_limits<float>::infinity();
    for (const uint16_t bits : candidates) {
      const float error = fit::scale_error<N>(x, block_scale(type_, bits), round_);
      if (error >= least) continue;
      least = error;
      out.scale = bits;
    }
    store(x, block_scale(type_, out.scale), out.stored.data());
  }
  void encode_power(const float* x, BlockFields& out) const {
    const float most = std::fabs(fit::extreme<N>(x));
    const int near = most < fit::kTiny ? 0 : std::ilogb(most / 12) + 128;
    std::array<uint16_t, 4> exponents{};
    for (int i = 0; i < 4; ++i)
      exponents[static_cast<std::size_t>(i)] =
          static_cast<uint16_t>(std::clamp(near + i - 1, 0, 254));
    pick(x, exponents, out);
  }

  void encode_parts(const float* x, BlockFields& out) const {
    const int low = encoding_.bits == 6 ? -128 : -32;  // of the scales of parts
    std::array<float, kParts> fitted{};
    for (int p = 0; p < kParts; ++p) fitted[at(p)] = fit::fit_scale<N>(x + p * N, round_, targets_);
    const float most = *std::ranges::max_element(fitted, [](float a, float b) {
      return std::fabs(a) < std::fabs(b);
    });
    std::array<int, kParts> best{};
    float least = std::numeric_limits<float>::infinity();
    float next = most / static_cast<float>(low);
    for (int round = 0; round < kRounds; ++round) {
      const uint16_t half = unit_of(next);
      const float scale = f32_from_f16(half), inv = inverse(scale);
      std::array<int, kParts> chosen{};
      float error = 0;
      for (int p = 0; p < kParts; ++p) {
        const auto near = std::lround(std::clamp(fitted[at(p)] * inv, -1000.0f, 1000.0f));
        error += choose(x + p * N, scale, static_cast<int>(near), low, chosen[at(p)]);
      }
      if (error >= least) break;
      least = error;
      best = chosen;
      out.scale = half;
      next = refit(x, scale, chosen);
    }
    const float scale = f32_from_f16(out.scale);
    for (int p = 0; p < kParts; ++p) {
      out.part_scales[at(p)] = static_cast<int8_t>(best[at(p)]);
      store(x + p * N, scale * static_cast<float>(best[at(p)]), out.stored.data() + p * N);
    }
  }
  // The best of three scales of a part; returns its error.
  float choose(const float* x, float scale, int near, int low, int& chosen) const {
    float least = std::numeric_limits<float>::infinity();
    for (int s = near - 1; s <= near + 1; ++s) {
      const int inside = std::clamp(s, low, -low - 1);
      const float error = fit::scale_error<N>(x, scale * static_cast<float>(inside), round_);
      if (error >= least) continue;
      least = error;
      chosen = inside;
    }
    return least;
  }
  // The scale of the block that fits the codes and the scales of the parts best.
  float refit(const float* x, float scale, const std::array<int, kParts>& parts) const {
    double xc = 0, cc = 0;
    for (int p = 0; p < kParts; ++p) {
      const auto s = static_cast<float>(parts[at(p)]);
      const float inv = inverse(scale * s);
      const float* part = x + p * N;
      xc += s * fit::sum<N>([&](int i) { return part[i] * round_(part[i] * inv); });
      cc += s * s * fit::sum<N>([&](int i) {
              const float c = round_(part[i] * inv);
              return c * c;
            });
    }
    return cc > 0 ? static_cast<float>(xc / cc) : 0.0f;
  }

  void store(const float* x, float scale, uint8_t* out) const {
    const float inv = inverse(scale);
    for (int i = 0; i < N; ++i) out[i] = stored_code(encoding_, round_(x[i] * inv));
  }
  static std::size_t at(int p) { return static_cast<std::size_t>(p); }

  DType type_;
  const Encoding& encoding_;
  Round round_;
  std::vector<float> targets_;
};

// Types with minima.
template <int N>
class Lined {
 public:
  Lined(DType t, float from, float to, int steps)
      : encoding_(encoding_of(t)), top_(static_cast<float>((1 << encoding_.bits) - 1)) {
    for (int i = 0; i <= steps; ++i)
      tops_.push_back(top_ + from +
                      (to - from) * static_cast<float>(i) / static_cast<float>(steps));
  }

  void encode(const float* x, BlockFields& out) const {
    if (encoding_.part_scales) return encode_parts(x, out);
    const Line fitted = fit::fit_line<N>(x, top_, false, tops_);
    float least = std::numeric_limits<float>::infinity();
    for (const uint16_t scale : Halves(fitted.scale).bits)
      for (const uint16_t minimum : Halves(fitted.minimum).bits) {
        const float error =
            fit::line_error<N>(x, {f32_from_f16(scale), f32_from_f16(minimum)}, top_);
        if (error >= least) continue;
        least = error;
        out.scale = scale;
        out.minimum = minimum;
      }
    store(x, {f32_from_f16(out.scale), f32_from_f16(out.minimum)}, out.stored.data());
  }

 private:
  static constexpr int kParts = kLargestBlock / N;
  struct Pair {
    int scale = 0, minimum = 0;
  };
  using Pairs = std::array<Pair, kParts>;

  void encode_parts(const float* x, BlockFields& out) const {
    const int most = N == 16 ? 15 : 63;  // of the scales and minima of parts
    std::array<Line, kParts> fitted{};
    Line next;
    for (int p = 0; p < kParts; ++p) {
      fitted[at(p)] = fit::fit_line<N>(x + p * N, top_, true, tops_);
      next.scale = std::max(next.scale, fitted[at(p)].scale / static_cast<float>(most));
      next.minimum = std::max(next.minimum, fitted[at(p)].minimum / static_cast<float>(most));
    }
    Pairs best{};
    float least = std::numeric_limits<float>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      const uint16_t scale = unit_of(next.scale), minimum = unit_of(next.minimum);
      const Line unit{f32_from_f16(scale), f32_from_f16(minimum)};
      Pairs chosen = best;
      float error = 0;
      for (int p = 0; p < kParts; ++p) {
        if (round == 0) chosen[at(p)] = nearest(fitted[at(p)], unit);
        error += choose(x + p * N, unit, most, chosen[at(p)]);
      }
      if (error >= least) break;
      least = error;
      best = chosen;
      out.scale = scale;
      out.minimum = minimum;
      next = refit(x, unit, chosen);
    }
    const Line unit{f32_from_f16(out.scale), f32_from_f16(out.minimum)};
    for (int p = 0; p < kParts; ++p) {
      out.part_scales[at(p)] = static_cast<int8_t>(best[at(p)].scale);
      out.part_minima[at(p)] = static_cast<int8_t>(best[at(p)].minimum);
      store(x + p * N, times(unit, best[at(p)]), out.stored.data() + p * N);
    }
  }
  static Line times(Line unit, Pair pair) {
    return {unit.scale * static_cast<float>(pair.scale),
            unit.minimum * static_cast<float>(pair.minimum)};
  }
  static Pair nearest(Line line, Line unit) {
    const auto whole = [](float v) { return static_cast<int>(std::lround(std::min(v, 100.0f))); };
    return {whole(line.scale * inverse(unit.scale)), whole(line.minimum * inverse(unit.minimum))};
  }
  // The best pair among a pair and its neighbours; returns its error.
  float choose(const float* x, Line unit, int most, Pair& pair) const {
    const Pair near = pair;
    float least = std::numeric_limits<float>::infinity();
    for (int s = near.scale - 1; s <= near.scale + 1; ++s)
      for (int m = near.minimum - 1; m <= near.minimum + 1; ++m) {
        const Pair inside{std::clamp(s, 0, most), std::clamp(m, 0, most)};
        const float error = fit::line_error<N>(x, times(unit, inside), top_);
        if (error >= least) continue;
        least = error;
        pair = inside;
      }
    return least;
  }
  // Scale and minimum of the block that fit the codes and the pairs of the parts best.
  Line refit(const float* x, Line unit, const Pairs& pairs) const {
    const Linear round{0, top_};
    double aa = 0, ab = 0, bb = 0, ax = 0, bx = 0;  // x = scale * a - minimum * b
    for (int p = 0; p < kParts; ++p) {
      const Line line = times(unit, pairs[at(p)]);
      const float inv = inverse(line.scale);
      const float* part = x + p * N;
      const auto code = [&](int i) { return round((part[i] + line.minimum) * inv); };
      const double s = pairs[at(p)].scale, b = pairs[at(p)].minimum;
      aa += s * s * fit::sum<N>([&](int i) { return code(i) * code(i); });
      ab += s * b * fit::sum<N>(code);
      bb += b * b * N;
      ax += s * fit::sum<N>([&](int i) { return code(i) * part[i]; });
      bx += b * fit::sum<N>([&](int i) { return part[i]; });
    }
    const double determinant = aa * bb - ab * ab;
    if (determinant <= 1e-9 * aa * bb) return unit;
    return {static_cast<float>((ax * bb - bx * ab) / determinant),
            static_cast<float>((ax * ab - bx * aa) / determinant)};
  }

  void store(const float* x, Line line, uint8_t* out) const {
    const Linear round{0, top_};
    const float inv = inverse(line.scale);
    for (int i = 0; i < N; ++i) out[i] = static_cast<uint8_t>(round((x[i] + line.minimum) * inv));
  }
  static std::size_t at(int p) { return static_cast<std::size_t>(p); }

  const Encoding& encoding_;
  float top_;
  std::vector<float> tops_;
};

template <class Encoder>
void encode_all(DType t, const Encoder& encoder, std::span<const float> values, std::byte* out) {
  BlockFields fields;
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(block_elements(t))) {
    encoder.encode(values.data() + i, fields);
    write_fields(t, fields, out);
    out += block_bytes(t);
  }
}

template <int N>
Scaled<N, Linear> linear(DType t, float from, float to, int steps) {
  const Encoding& e = encoding_of(t);
  const auto low = static_cast<float>(e.offset ? -e.offset : -128), high = -low - 1;
  return {t, {low, high}, targets_between(low, high, from, to, steps)};
}
Scaled<32, Sixteen> sixteen(DType t, float from, float to, int steps) {
  const auto codes = sorted_codes(t);
  return {t, Sixteen(codes), targets_between(codes[0], codes[15], from, to, steps)};
}

}  // namespace

std::optional<std::size_t> encode_values(DType t, std::span<const float> values, std::byte* out) {
  check(values.size() % static_cast<std::size_t>(block_elements(t)) == 0,
        "encoded values come in whole blocks");
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::fabs(values[i]) <= kLargestEncodable)) return i;  // NaN is not, either
  // The grids: wider ones gain less than 0.1 % of the error on normal and Laplace values.
  static const auto q8_0 = linear<32>(DType::Q8_0, 0.98f, 1.004f, 6);
  static const auto q5_0 = linear<32>(DType::Q5_0, 0.8f, 1.06f, 13);
  static const auto q4_0 = linear<32>(DType::Q4_0, 0.7f, 1.15f, 13);
  static const auto q6_k = linear<16>(DType::Q6_K, 0.9f, 1.03f, 9);
  static const auto q3_k = linear<16>(DType::Q3_K, 0.5f, 1.25f, 12);
  static const auto iq4_nl = sixteen(DType::IQ4_NL, 0.7f, 1.2f, 12);
  static const auto iq4_xs = sixteen(DType::IQ4_XS, 0.7f, 1.2f, 12);
  static const auto mxfp4 = sixteen(DType::MXFP4, 1, 1, 1);
  static const Lined<32> q4_1(DType::Q4_1, -2, 2, 16), q5_1(DType::Q5_1, -2, 2, 16);
  static const Lined<32> q4_k(DType::Q4_K, -2, 2, 16), q5_k(DType::Q5_K, -2, 2, 16);
  static const Lined<16> q2_k(DType::Q2_K, -0.8f, 1.2f, 16);
  const auto with = [&](const auto& encoder) { encode_all(t, encoder, values, out); };
  switch (t) {
    case DType::Q8_0: with(q8_0); break;
    case DType::Q5_0: with(q5_0); break;
    case DType::Q4_0: with(q4_0); break;
    case DType::Q6_K: with(q6_k); break;
    case DType::Q3_K: with(q3_k); break;
    case DType::IQ4_NL: with(iq4_nl); break;
    case DType::IQ4_XS: with(iq4_xs); break;
    case DType::MXFP4: with(mxfp4); break;
    case DType::Q4_1: with(q4_1); break;
    case DType::Q5_1: with(q5_1); break;
    case DType::Q4_K: with(q4_k); break;
    case DType::Q5_K: with(q5_k); break;
    case DType::Q2_K: with(q2_k); break;
    default: bug("values for a type that is not encoded");
  }
  return std::nullopt;
}

}  // namespace tilewright
