#include "tilewright/golden/encoded_products.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tilewright/base/check.h"
#include "tilewright/base/encoding.h"

namespace tilewright::golden {
namespace {

constexpr int64_t kBlock = 32;  // elements of a left row that share a scale

struct QuantisedRow {
  std::vector<int> codes;
  std::vector<float> scales;  // of the blocks
};

// One block: codes -127..127 of the largest magnitude. A number that is not finite makes the scale
// NaN; a block too small for its reciprocal to be a number is zero.
void quantise_block(const float* x, int64_t step, int* codes, float& scale) {
  float largest = 0;
  bool finite = true;
  for (int64_t i = 0; i < kBlock; ++i) {
    finite = finite && std::isfinite(x[i * step]);
    largest = std::max(largest, std::fabs(x[i * step]));
  }
  std::fill_n(codes, kBlock, 0);
  scale = finite ? 0 : std::numeric_limits<float>::quiet_NaN();
  const float reciprocal = 127.0f / largest;
  if (!finite || !std::isfinite(reciprocal)) return;
  scale = largest / 127.0f;
  for (int64_t i = 0; i < kBlock; ++i)
    codes[i] = std::clamp(static_cast<int>(std::nearbyint(x[i * step] * reciprocal)), -127, 127);
}

// Rows of weights consist of blocks, so that a left row does, too.
QuantisedRow quantised(const float* x, int64_t step, int64_t depth) {
  check(depth % kBlock == 0, "a row that ends within a block");
  QuantisedRow row{std::vector<int>(static_cast<std::size_t>(depth)),
                   std::vector<float>(static_cast<std::size_t>(depth / kBlock))};
  for (int64_t k = 0; k < depth; k += kBlock) {
    quantise_block(x + k * step, step, row.codes.data() + k,
                   row.scales[static_cast<std::size_t>(k / kBlock)]);
  }
  return row;
}

// A part of a row of weights added to one sum.
float with_part(float sum, const int* codes, float left_scale, const EncodedElement* w, int64_t n,
                bool minima) {
  int products = 0, total = 0;
  for (int64_t i = 0; i < n; ++i) {
    products += codes[i] * w[i].code;
    total += codes[i];
  }
  const float scale = left_scale * w[0].scale;
  sum = std::fma(static_cast<float>(products), scale, sum);
  if (!minima) return sum;
  const float shift = left_scale * static_cast<float>(total);
  return std::fma(-w[0].minimum, shift, sum);
}

}  // namespace

void add_encoded_products(const EncodedProducts& p) {
  const int64_t part = encoding_of(p.type).part;
  const bool minima = encoding_of(p.type).minima;
  for (int64_t m = 0; m < p.m; ++m) {
    const QuantisedRow row = quantised(p.x + m * p.x_row, p.x_step, p.k);
    for (int64_t n = 0; n < p.n; ++n) {
      float& sum = p.sums[m * p.sums_row + n];
      for (int64_t k = 0; k < p.k; k += part)
        sum = with_part(sum, row.codes.data() + k, row.scales[static_cast<std::size_t>(k / kBlock)],
                        p.w + n * p.w_row + k, part, minima);
    }
  }
}

}  // namespace tilewright::golden
