#include "tilewright/programs/projection.h"

#include <string>

#include "tilewright/programs/quantise.h"

namespace tilewright::programs {

using namespace dsl;

namespace {

Tile load_weight(const Columns& w, const Index& k0, int64_t n_tile, const Chain& c) {
  if (c.transposed) return slice(w.weight.values, {n_tile, c.k_tile}, {w.first, k0});
  return slice(w.weight.values, {c.k_tile, n_tile}, {k0, w.first});
}

MatmulOptions options(const Chain& c) { return {.out_dtype = {}, .b_trans = c.transposed}; }

// The weights' blocks at k0: one after the other as they are used, or all of them now.
std::function<Tile(std::size_t)> right_blocks(const std::vector<Columns>& columns, const Index& k0,
                                              int64_t n_tile, const Chain& c) {
  if (!c.loads_first)
    return [=](std::size_t i) { return load_weight(columns[i], k0, n_tile, c); };
  std::vector<Tile> loaded;
  for (const Columns& w : columns) loaded.push_back(load_weight(w, k0, n_tile, c));
  return [loaded](std::size_t i) { return loaded[i]; };
}

// First block multiplied before the loop: nothing to initialise, no branch in the loop.
std::vector<Tile> peeled(Builder& p, const Left& left, const std::vector<Columns>& columns,
                         int64_t n_tile, const Chain& c, int64_t blocks) {
  std::vector<Tile> sums;
  const Tile first = left.block(0);
  const auto first_right = right_blocks(columns, 0, n_tile, c);
  for (std::size_t i = 0; i < columns.size(); ++i)
    sums.push_back(matmul(first, first_right(i), options(c)).named("acc"));
  if (blocks == 1) return sums;
  for (Index kb : p.range(1, blocks).named("kb")) {
    const Tile a = left.block(kb * c.k_tile);
    const auto right = right_blocks(columns, kb * c.k_tile, n_tile, c);
    for (std::size_t i = 0; i < columns.size(); ++i)
      matmul_acc(sums[i], a, right(i), options(c));
  }
  return sums;
}

// A pipeline wants every trip to have the same loads, so the first one branches instead.
std::vector<Tile> guarded(Builder& p, const Left& left, const Rows& rows,
                          const std::vector<Columns>& columns, int64_t n_tile, const Chain& c,
                          int64_t blocks) {
  std::vector<Tile> sums;
  for (const Columns& w : columns)
    sums.push_back(p.accumulator({rows.tile, n_tile}, w.weight.sum_type()));
  for (Index kb : p.pipeline(blocks, {.stages = static_cast<int>(c.stages)}).named("kb")) {
    const Tile a = left.block(kb * c.k_tile);
    std::vector<Tile> b;
    for (const Columns& w : columns) b.push_back(load_weight(w, kb * c.k_tile, n_tile, c));
    {
      auto first = p.when(kb == 0);
      for (std::size_t i = 0; i < b.size(); ++i) assign(sums[i], matmul(a, b[i], options(c)));
    }
    {
      auto later = p.otherwise();
      for (std::size_t i = 0; i < b.size(); ++i) matmul_acc(sums[i], a, b[i], options(c));
    }
  }
  return sums;
}

}  // namespace

Left rows_of(const Matrix& x, const Rows& rows, int64_t k_tile) {
  return {[x, rows, k_tile](const Index& k0) { return load_rows(x.values, rows, k_tile, k0); },
          x.scales};
}

std::vector<Tile> project_sums(Builder& p, const Left& left, const Rows& rows,
                               const std::vector<Columns>& columns, int64_t n_tile,
                               const Chain& c) {
  const int64_t blocks = p.exact_div(c.depth, c.k_tile);
  if (c.stages <= 1 || blocks == 1) return peeled(p, left, columns, n_tile, c, blocks);
  return guarded(p, left, rows, columns, n_tile, c, blocks);
}

Tile numbers_of(const Tile& sums, const std::optional<Tensor>& row_scales, const Rows& rows,
                const Columns& columns, int64_t n_tile) {
  if (!row_scales) return sums;
  const Tile of_columns = slice(*columns.weight.scales, {1, n_tile}, {0, columns.first});
  return scaled_sums(sums, of_columns, load_rows(*row_scales, rows, 1, 0));
}

std::vector<Tile> project(Builder& p, const Left& left, const Rows& rows,
                          const std::vector<Matrix>& weights, const Index& n0, int64_t n_tile,
                          const Chain& c) {
  std::vector<Columns> columns;
  for (const Matrix& w : weights) columns.push_back({w, n0});
  std::vector<Tile> numbers;
  const std::vector<Tile> sums = project_sums(p, left, rows, columns, n_tile, c);
  for (std::size_t i = 0; i < sums.size(); ++i)
    numbers.push_back(numbers_of(sums[i], left.scales, rows, columns[i], n_tile));
  return numbers;
}

Tile project(Builder& p, const Matrix& x, const Rows& rows, const Matrix& weight, const Index& n0,
             int64_t n_tile, const Chain& c) {
  return project(p, rows_of(x, rows, c.k_tile), rows, std::vector<Matrix>{weight}, n0, n_tile, c)
      .front();
}

AtOptions projection_options(const Matrix& x) {
  return {.split = x.scales ? Split::UpDown : Split::None};
}

void projection(Builder& p, std::string_view name, const Tensor& out, const Matrix& x,
                const Rows& rows, const Matrix& weight, const Chain& c, const Blocks& b) {
  block_tasks(p, name, p.exact_div(out.dim(1), b.n_tile), b.per_task,
              [&](const Index& block) {
                const Index n0 = block * b.n_tile;
                assemble(out, project(p, x, rows, weight, n0, b.n_tile, c), {rows.first, n0});
              },
              projection_options(x));
}

void projection_residual(Builder& p, std::string_view name, const Tensor& out, const Matrix& x,
                         const Rows& rows, const Matrix& weight, const Tensor& residual,
                         const Chain& c, const Blocks& b, Epilogue e) {
  const int64_t blocks = p.exact_div(out.dim(1), b.n_tile);
  const auto finish = [&](const Tile& sum, const Index& n0) {
    const Tile old = load_rows(residual, rows, b.n_tile, n0);
    const Tile total = add(sum, old.dtype() == DType::F32 ? old : cast(old, DType::F32));
    const Tile rounded = out.dtype() == DType::F32 ? total : cast(total, out.dtype());
    assemble(out, rounded, {rows.first, n0});
  };
  if (e == Epilogue::Fused) {
    block_tasks(p, name, blocks, b.per_task,
                [&](const Index& block) {
                  const Index n0 = block * b.n_tile;
                  finish(project(p, x, rows, weight, n0, b.n_tile, c), n0);
                },
                {.split = Split::UpDown});
    return;
  }
  const std::string stem(name);
  const Rows local{0, rows.tile, rows.valid, rows.partial};  // of a buffer for one tile of rows
  const int64_t together = e == Epilogue::Pairs ? 2 : 1;     // blocks in one loop
  const int64_t width = together * b.n_tile;
  Chain chain = c;
  chain.loads_first = together > 1;
  for (Index block : p.parallel(p.exact_div(blocks, together)).named("block")) {
    std::vector<Columns> columns;
    for (int64_t i = 0; i < together; ++i)
      columns.push_back({weight, block * width + i * b.n_tile});
    const Tensor sum = p.tensor(stem + "_acc", {rows.tile, width}, weight.sum_type());
    {
      auto core = p.incore(name);
      const auto sums = project_sums(p, rows_of(x, rows, c.k_tile), rows, columns, b.n_tile, chain);
      for (int64_t i = 0; i < together; ++i)
        assemble(sum, sums[static_cast<std::size_t>(i)], {0, i * b.n_tile});
    }
    auto core = p.incore(stem + "_residual");
    for (int64_t i = 0; i < together; ++i) {
      const Columns& own = columns[static_cast<std::size_t>(i)];
      const Tile sums = load_rows(sum, local, b.n_tile, i * b.n_tile);
      finish(numbers_of(sums, x.scales, rows, own, b.n_tile), own.first);
    }
  }
}

}  // namespace tilewright::programs
