#include "tilewright/programs/rows.h"

namespace tilewright::programs {

using namespace dsl;

Rows rows_at(const Index& index, int64_t batch, int64_t tile) {
  const Index first = index * tile;
  if (batch % tile == 0) return {first, tile, tile, false};
  return {first, tile, min(Index(tile), batch - first), true};
}

int64_t row_tile_count(int64_t batch, int64_t tile) { return (batch + tile - 1) / tile; }

Rows part_of(const Rows& rows, const Index& part, int64_t size) {
  const Index offset = part * size;
  if (!rows.partial && rows.tile % size == 0) return {rows.first + offset, size, size, false};
  return {rows.first + offset, size, min(Index(size), rows.valid - offset), true};
}

Tile load_rows(const Tensor& x, const Rows& rows, int64_t cols, const Index& col, Here here) {
  SliceOptions o;
  if (rows.partial) o.valid_shape = {rows.valid, cols};
  return slice(x, {rows.tile, cols}, {rows.first, col}, o, here);
}

Tile zero_rows(Builder& p, const Rows& rows, int64_t cols, DType dtype) {
  // Programs fill FP32 and cast: devices have no BF16 fill.
  const Tile zeros = p.full({rows.tile, cols}, DType::F32, 0.0);
  const Tile filled = dtype == DType::F32 ? zeros : cast(zeros, dtype);
  return rows.partial ? set_validshape(filled, {rows.valid, cols}) : filled;
}

Tile as_type(const Tile& x, DType dtype) { return x.dtype() == dtype ? x : cast(x, dtype); }

LoopRange staged_loop(Builder& p, const Index& start, const Index& stop, int64_t stages,
                      Here here) {
  if (stages <= 1) return p.range(start, stop, 1, {}, here);
  return p.pipeline(start, stop, 1, {.stages = static_cast<int>(stages)}, here);
}

void zero_columns(Builder& p, std::string_view name, const Tensor& x, const Rows& rows,
                  int64_t n_tile) {
  constexpr int64_t per_task = 8;
  block_tasks(p, name, p.exact_div(x.dim(1), n_tile), per_task, [&](const Index& block) {
    assemble(x, zero_rows(p, rows, n_tile, x.dtype()), {rows.first, block * n_tile});
  });
}

}  // namespace tilewright::programs
