#include "tilewright/compile/l0/choose_tile.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "tilewright/compile/tile_bytes.h"
#include "tilewright/platform/cube_costs.h"

namespace tilewright::compile {
namespace {

using platform::Platform;
using enum MemorySpace;

bool fits(MemorySpace space, int64_t rows, int64_t cols, DType dtype, int64_t copies,
          const Platform& platform) {
  const platform::Memory* memory = platform.memory(space);
  if (!memory || !memory->physical) return true;
  ir::Var tile;
  tile.dtype = dtype;
  tile.shape = {rows, cols};
  tile.space = space;
  return copies * tile_bytes(tile, platform) <= *memory->physical;
}

// Of m x n of the product's output.
bool window_fits(int64_t m, int64_t n, const Product& p, const Platform& platform) {
  const DType sum = is_float(p.operands) ? DType::F32 : DType::I32;
  const int64_t rows_of_bias = n < p.n ? 2 : 1;  // the next window's is moved ahead
  return fits(Acc, m, n, sum, 1, platform) &&
         (!p.biased || fits(Bias, 1, n, sum, rows_of_bias, platform));
}

bool operands_fit(int64_t m, int64_t n, int64_t k, DType dtype, int64_t copies,
                  const Platform& platform) {
  return fits(Left, m, k, dtype, copies, platform) && fits(Right, k, n, dtype, copies, platform);
}

// The whole, and the parts of whole fractals that it can be cut into without a rest.
std::vector<int64_t> parts(int64_t whole, int64_t step, bool cut) {
  std::vector<int64_t> out{whole};
  if (!cut) return out;
  for (int64_t part = step; part < whole; part += step)
    if (whole % part == 0) out.push_back(part);
  return out;
}

void estimate(const Product& p, const Platform& platform, L0Tile& tile) {
  if (!platform.timing) return;
  const platform::CubeCosts costs(platform);
  const auto trips = static_cast<double>(p.trips);
  const auto windows = static_cast<double>(tile.windows);
  const auto bytes = [&](int64_t rows, int64_t cols) {
    return static_cast<double>(bytes_of(p.operands, rows * cols));
  };
  tile.load = trips * windows *
              (costs.to_left(bytes(tile.m, p.k)) + costs.to_right(bytes(p.k, tile.n)));
  const int64_t rest = p.k % tile.k;  // the last block may be smaller
  const auto block = [&](int64_t k) { return costs.multiply(tile.m, k, tile.n, p.operands); };
  const double blocks = static_cast<double>(p.k / tile.k) * block(tile.k) +
                        (rest > 0 ? block(rest) : 0);
  tile.multiply = trips * windows * blocks;
  tile.drain = windows * costs.drain(tile.m, tile.n);
}

}  // namespace

int64_t k_step(DType operands, const Platform& platform) {
  return std::max(platform.fractal_rows, platform.fractal_bytes * 8 / bits(operands));
}

bool accumulator_fits(const Product& p, const Platform& platform) {
  return window_fits(p.m, p.n, p, platform);
}

bool fits_l0(const Product& p, const Platform& platform) {
  return accumulator_fits(p, platform) && operands_fit(p.m, p.n, p.k, p.operands, 1, platform);
}

namespace {

std::optional<L0Tile> best_tile(const Product& p, int64_t copies, const Platform& platform) {
  const int64_t step = k_step(p.operands, platform);
  const bool cut = p.can_cut_output && (!p.can_cut_depth || !accumulator_fits(p, platform));
  std::optional<L0Tile> best;
  const auto rank = [](const L0Tile& t) {
    return std::tuple(t.cycles(), t.windows, t.k_blocks, t.load);
  };
  for (const int64_t m : parts(p.m, platform.fractal_rows, cut))
    for (const int64_t n : parts(p.n, platform.fractal_rows, cut)) {
      if (!window_fits(m, n, p, platform)) continue;
      for (int64_t k = p.can_cut_depth ? step : p.k; k <= p.k; k += step) {
        if (!operands_fit(m, n, k, p.operands, copies, platform)) break;
        if (p.equal_blocks && p.k % k != 0) continue;
        L0Tile tile{.m = m, .n = n, .k = k, .copies = copies};
        tile.windows = (p.m / m) * (p.n / n);
        tile.k_blocks = (p.k + k - 1) / k;
        estimate(p, platform, tile);
        if (!best || rank(tile) < rank(*best)) best = tile;
      }
    }
  return best;
}

}  // namespace

std::optional<L0Tile> choose_l0_tile(const Product& p, const Platform& platform) {
  if (p.k % k_step(p.operands, platform) != 0) return std::nullopt;
  // Two copies: one block is filled while the other is multiplied.
  const auto overlapped = best_tile(p, 2, platform);
  return overlapped ? overlapped : best_tile(p, 1, platform);
}

}  // namespace tilewright::compile
