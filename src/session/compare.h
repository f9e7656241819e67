// The acceptance of one output: |actual - expected| <= atol + rtol * |expected| for every element,
// and what the errors look like. NaN or Inf on either side never matches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/catalog/catalog.h"

namespace tilewright::session {

struct Mismatch {
  int64_t index = 0;  // in row-major order
  double actual = 0;
  double expected = 0;
};

inline constexpr std::size_t kMismatchesKept = 20;

struct Comparison {
  int64_t total = 0;
  int64_t matched = 0;
  int64_t actual_nan = 0, actual_inf = 0, expected_nan = 0, expected_inf = 0;
  std::vector<Mismatch> mismatches;  // the first kMismatchesKept

  // Over the elements that are finite on both sides.
  int64_t finite = 0;
  double max_abs_error = 0;
  int64_t max_abs_error_index = -1;  // -1 when no element is finite
  double relative_l2 = 0;            // |actual - expected| / |expected|
  double cosine = 1;                 // of the angle between actual and expected
  double p50 = 0, p90 = 0, p99 = 0;  // of the absolute error, to 1 part in 2048

  bool passed() const { return matched == total; }
};

// Both arrays have one shape and one type. Elements are compared as doubles, so 64-bit integers
// beyond 2^53 are rounded first.
Comparison compare(const HostArray& actual, const HostArray& expected,
                   const catalog::Tolerance& tolerance);

// |actual - expected| / |expected - base| over finite elements: the error relative to what was
// added to `base`. All arrays have the same shape; types may differ.
double relative_to_added(const HostArray& actual, const HostArray& expected, const HostArray& base);

// Row-major position as subscripts: "[3, 17]".
std::string index_text(int64_t index, const Shape& shape);

}  // namespace tilewright::session
