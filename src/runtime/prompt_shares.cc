#include "tilewright/runtime/prompt_shares.h"

#include <algorithm>
#include <numeric>

namespace tilewright::runtime {

std::vector<int64_t> prompt_shares(std::span<const int64_t> left, int64_t rows) {
  std::vector<int64_t> shares(left.size());
  const auto give = [&](std::size_t i, int64_t most) {
    const int64_t n = std::min({most, rows, left[i] - shares[i]});
    shares[i] += n;
    rows -= n;
  };
  if (!left.empty()) give(0, (rows + 1) / 2);
  std::vector<std::size_t> order(left.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return left[i]; });
  for (const std::size_t i : order) give(i, rows);
  return shares;
}

}  // namespace tilewright::runtime
