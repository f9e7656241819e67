#include "tilewright/session/compare.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"

namespace tilewright::session {
namespace {

constexpr int64_t kBlock = 4096;
using Block = std::array<double, kBlock>;

// Converts a run of elements to double. KV caches have a hundred million elements, for which a
// switch per element would be slow.
void widen(const HostArray& array, int64_t begin, int64_t count, Block& out) {
  const auto from = static_cast<std::size_t>(begin);
  const auto n = static_cast<std::size_t>(count);
  switch (array.dtype()) {
    case DType::F32: {
      const auto values = array.as<float>().subspan(from, n);
      for (std::size_t i = 0; i < n; ++i) out[i] = values[i];
      return;
    }
    case DType::BF16: {
      const auto values = array.as<uint16_t>().subspan(from, n);
      for (std::size_t i = 0; i < n; ++i)
        out[i] = std::bit_cast<float>(static_cast<uint32_t>(values[i]) << 16);
      return;
    }
    default:
      for (std::size_t i = 0; i < n; ++i) out[i] = array.at(begin + static_cast<int64_t>(i));
  }
}

// Counts of non-negative floats by the top bits of their pattern, which sort like the values. Exact
// percentiles would need every error in memory at once.
class ErrorHistogram {
 public:
  void add(double error) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(error));
    ++counts_[bits >> kDropped];
    ++total_;
  }
  double percentile(double fraction) const {
    if (total_ == 0) return 0;
    const auto rank = static_cast<int64_t>(std::ceil(fraction * static_cast<double>(total_)));
    int64_t below = 0;
    for (std::size_t b = 0; b < counts_.size(); ++b) {
      below += counts_[b];
      if (below >= rank) return std::bit_cast<float>(static_cast<uint32_t>(b) << kDropped);
    }
    return 0;
  }

 private:
  static constexpr int kDropped = 12;  // keeps the exponent and 11 bits of the mantissa
  std::vector<int64_t> counts_ = std::vector<int64_t>(std::size_t{1} << (31 - kDropped));
  int64_t total_ = 0;
};

struct Sums {
  double difference = 0, actual = 0, expected = 0, product = 0;
};

// From sums of squares.
double ratio_of_norms(double part, double whole) {
  if (whole > 0) return std::sqrt(part / whole);
  return part > 0 ? std::numeric_limits<double>::infinity() : 0;
}

void finish(Comparison& c, const Sums& s, const ErrorHistogram& errors) {
  c.relative_l2 = ratio_of_norms(s.difference, s.expected);
  const double norms = std::sqrt(s.actual) * std::sqrt(s.expected);
  if (norms > 0) {
    c.cosine = std::clamp(s.product / norms, -1.0, 1.0);
  } else {
    c.cosine = s.actual == s.expected ? 1 : 0;
  }
  c.p50 = errors.percentile(0.50);
  c.p90 = errors.percentile(0.90);
  c.p99 = errors.percentile(0.99);
}

}  // namespace

Comparison compare(const HostArray& actual, const HostArray& expected,
                   const catalog::Tolerance& tolerance) {
  tilewright::check(actual.dtype() == expected.dtype() && actual.shape() == expected.shape(),
                    "comparison of arrays that differ in shape or type");
  Comparison c;
  c.total = actual.size();
  Sums sums;
  ErrorHistogram errors;
  Block a, e;
  for (int64_t begin = 0; begin < c.total; begin += kBlock) {
    const int64_t count = std::min(kBlock, c.total - begin);
    widen(actual, begin, count, a);
    widen(expected, begin, count, e);
    for (int64_t i = 0; i < count; ++i) {
      const double x = a[static_cast<std::size_t>(i)];
      const double y = e[static_cast<std::size_t>(i)];
      const double error = std::abs(x - y);
      bool matched = false;
      if (std::isfinite(x) && std::isfinite(y)) {
        matched = error <= tolerance.atol + tolerance.rtol * std::abs(y);
        ++c.finite;
        errors.add(error);
        if (error > c.max_abs_error || c.max_abs_error_index < 0) {
          c.max_abs_error = error;
          c.max_abs_error_index = begin + i;
        }
        sums.difference += error * error;
        sums.actual += x * x;
        sums.expected += y * y;
        sums.product += x * y;
      } else {
        c.actual_nan += std::isnan(x);
        c.actual_inf += std::isinf(x);
        c.expected_nan += std::isnan(y);
        c.expected_inf += std::isinf(y);
      }
      c.matched += matched;
      if (!matched && c.mismatches.size() < kMismatchesKept)
        c.mismatches.push_back({begin + i, x, y});
    }
  }
  finish(c, sums, errors);
  return c;
}

double relative_to_added(const HostArray& actual, const HostArray& expected,
                         const HostArray& base) {
  tilewright::check(actual.shape() == expected.shape() && actual.shape() == base.shape(),
                    "comparison of arrays that differ in shape");
  double error = 0, added = 0;
  Block a, e, b;
  for (int64_t begin = 0; begin < actual.size(); begin += kBlock) {
    const int64_t count = std::min(kBlock, actual.size() - begin);
    widen(actual, begin, count, a);
    widen(expected, begin, count, e);
    widen(base, begin, count, b);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (!std::isfinite(a[i]) || !std::isfinite(e[i]) || !std::isfinite(b[i])) continue;
      error += (a[i] - e[i]) * (a[i] - e[i]);
      added += (e[i] - b[i]) * (e[i] - b[i]);
    }
  }
  return ratio_of_norms(error, added);
}

std::string index_text(int64_t index, const Shape& shape) {
  std::vector<int64_t> subscripts(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    subscripts[d] = index % shape[d];
    index /= shape[d];
  }
  return list_text(subscripts);
}

}  // namespace tilewright::session
