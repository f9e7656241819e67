#include "tilewright/programs/projection.h"

#include <string>

namespace tilewright::programs {

using namespace dsl;

namespace {

Tile load_weight(const Tensor& w, const Index& k0, const Index& n0, int64_t n_tile,
                 const Chain& c) {
  if (c.transposed) return slice(w, {n_tile, c.k_tile}, {n0, k0});
  return slice(w, {c.k_tile, n_tile}, {k0, n0});
}

MatmulOptions options(const Chain& c) { return {.out_dtype = {}, .b_trans = c.transposed}; }

// First block multiplied before the loop: nothing to initialise, no branch in the loop.
std::vector<Tile> peeled(Builder& p, const LeftBlock& left, const std::vector<Tensor>& weights,
                         const Index& n0, int64_t n_tile, const Chain& c, int64_t blocks) {
  std::vector<Tile> sums;
  const Tile first = left(0);
  for (const Tensor& w : weights)
    sums.push_back(matmul(first, load_weight(w, 0, n0, n_tile, c), options(c)).named("acc"));
  if (blocks == 1) return sums;
  for (Index kb : p.range(1, blocks).named("kb")) {
    const Tile a = left(kb * c.k_tile);
    for (std::size_t i = 0; i < weights.size(); ++i)
      matmul_acc(sums[i], a, load_weight(weights[i], kb * c.k_tile, n0, n_tile, c), options(c));
  }
  return sums;
}

// A pipeline wants every trip to have the same loads, so the first one branches instead.
std::vector<Tile> guarded(Builder& p, const LeftBlock& left, const Rows& rows,
                          const std::vector<Tensor>& weights, const Index& n0, int64_t n_tile,
                          const Chain& c, int64_t blocks) {
  std::vector<Tile> sums;
  for (std::size_t i = 0; i < weights.size(); ++i)
    sums.push_back(p.accumulator({rows.tile, n_tile}));
  for (Index kb : p.pipeline(blocks, {.stages = static_cast<int>(c.stages)}).named("kb")) {
    const Tile a = left(kb * c.k_tile);
    std::vector<Tile> b;
    for (const Tensor& w : weights) b.push_back(load_weight(w, kb * c.k_tile, n0, n_tile, c));
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

LeftBlock rows_of(const Tensor& x, const Rows& rows, int64_t k_tile) {
  return [x, rows, k_tile](const Index& k0) { return load_rows(x, rows, k_tile, k0); };
}

std::vector<Tile> project(Builder& p, const LeftBlock& left, const Rows& rows,
                          const std::vector<Tensor>& weights, const Index& n0, int64_t n_tile,
                          const Chain& c) {
  const int64_t blocks = p.exact_div(c.depth, c.k_tile);
  if (c.stages <= 1 || blocks == 1) return peeled(p, left, weights, n0, n_tile, c, blocks);
  return guarded(p, left, rows, weights, n0, n_tile, c, blocks);
}

Tile project(Builder& p, const Tensor& x, const Rows& rows, const Tensor& weight, const Index& n0,
             int64_t n_tile, const Chain& c) {
  return project(p, rows_of(x, rows, c.k_tile), rows, {weight}, n0, n_tile, c).front();
}

void projection(Builder& p, std::string_view name, const Tensor& out, const Tensor& x,
                const Rows& rows, const Tensor& weight, const Chain& c, const Blocks& b) {
  block_tasks(p, name, p.exact_div(out.dim(1), b.n_tile), b.per_task, [&](const Index& block) {
    const Index n0 = block * b.n_tile;
    assemble(out, project(p, x, rows, weight, n0, b.n_tile, c), {rows.first, n0});
  });
}

void projection_residual(Builder& p, std::string_view name, const Tensor& out, const Tensor& x,
                         const Rows& rows, const Tensor& weight, const Tensor& residual,
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
  for (Index block : p.parallel(blocks).named("block")) {
    const Index n0 = block * b.n_tile;
    const Tensor sum = p.tensor(stem + "_acc", {rows.tile, b.n_tile}, DType::F32);
    {
      auto core = p.incore(name);
      assemble(sum, project(p, x, rows, weight, n0, b.n_tile, c), {0, 0});
    }
    auto core = p.incore(stem + "_residual");
    finish(load_rows(sum, local, b.n_tile, 0), n0);
  }
}

}  // namespace tilewright::programs
