#include "tilewright/programs/experts.h"

#include <algorithm>
#include <vector>

#include "tilewright/base/check.h"
#include "tilewright/programs/swiglu.h"

namespace tilewright::programs {

using namespace dsl;

namespace {

constexpr int64_t kSorted = 32;  // columns that sort32 sorts

// Runs of sorted pairs become one run.
Tile merged(const Tile& pairs, int64_t lanes) {
  return lanes >= pairs.dim(1) ? pairs : merged(mrgsort(pairs, lanes), 4 * lanes);
}

// Probabilities of all experts.
void softmax_task(Builder& p, const Experts& e, const Tensor& probabilities, const Tensor& logits,
                  const Rows& rows) {
  auto core = p.incore("router_softmax");
  const Tile x = load_rows(logits, rows, e.count, 0);
  const Tile exponentials = exp(row_expand_sub(x, row_max(x))).named("exponentials");
  assemble(probabilities, row_expand_div(exponentials, row_sum(exponentials)), {rows.first, 0});
}

// Sorting keeps the order of equal values, so that the lower expert comes first.
void top_k_task(Builder& p, const Experts& e, const RouterIo& out, const Tensor& probabilities,
                const Rows& rows) {
  int64_t storage = kSorted;  // merging by fours wants 32, 128, 512, ... columns
  while (storage < e.count) storage *= 4;
  auto core = p.incore("top_k");
  for (Index i : p.range(rows.valid).named("i")) {
    const Index row = rows.first + i;
    const Tile all = slice(probabilities, {1, storage}, {row, 0}, {.valid_shape = {1, e.count}});
    const Tile padded = fillpad(all, Pad::Min).named("padded");
    const Tile index = p.arange(0, {1, storage}, DType::I32).named("index");
    const Tile sorted = merged(sort32(padded, index).named("pairs"), 2 * kSorted);
    const Tile best = slice(sorted, {1, 2 * e.per_row}, {0, 0}).named("best");
    const Tile found = gather_mask(best, ir::MaskPattern::P0101, DType::F32).named("found");
    assemble(out.weights, e.renormalises ? row_expand_div(found, row_sum(found)) : found, {row, 0});
    assemble(out.chosen, gather_mask(best, ir::MaskPattern::P1010, DType::I32), {row, 0});
  }
}

// What a task reads of its group.
struct Group {
  Index expert;
  Rows rows;  // where they are gathered
};
Group read_group(Builder& p, const Experts& e, const ExpertsIo& io, const Index& g) {
  const Index expert = p.let("expert", p.read(io.groups, {g, 0}));
  const Index count = p.let("count", min(p.read(io.groups, {g, 1}), Index(e.group_rows)));
  return {expert, {g * e.group_rows, e.group_rows, count, true}};
}

// The rows of an expert one after the other, as its products want them.
void gather_tasks(Builder& p, const Experts& e, const ExpertsIo& io, const Tensor& gathered,
                  const Index& groups) {
  for (Index g : p.parallel(groups).named("group")) {
    auto core = p.incore("gather_rows");
    const Group group = read_group(p, e, io, g);
    for (Index i : p.range(group.rows.valid).named("i")) {
      const Index row = p.let("row", p.read(io.pairs, {g, i})) / e.per_row;
      assemble(gathered, slice(io.x, {1, e.hidden}, {row, 0}), {group.rows.first + i, 0});
    }
  }
}

void mlp_tasks(Builder& p, const Experts& e, const ExpertsIo& io, const Tensor& mlp,
               const Tensor& gathered, const Index& groups, const ExpertsCut& cut) {
  const Blocks& b = cut.blocks;
  for (Index g : p.parallel(groups).named("group"))
    block_tasks(p, "expert_mlp", p.exact_div(e.inner, b.n_tile), b.per_task,
                [&](const Index& block) {
                  const Group group = read_group(p, e, io, g);
                  const Index n0 = block * b.n_tile;
                  auto used = p.when(group.rows.valid > 0);
                  const auto sums =
                      project(p, rows_of(gathered, group.rows, cut.chain.k_tile), group.rows,
                              {io.gate, io.up}, group.expert * e.inner + n0, b.n_tile, cut.chain);
                  assemble(mlp, as_type(silu_times(sums[0], sums[1]), mlp.dtype()),
                           {group.rows.first, n0});
                },
                {.split = Split::UpDown});
}

// Some columns of every row: the residual, then what its experts add, in their order.
void sum_tasks(Builder& p, const Experts& e, const ExpertsIo& io, const Tensor& sum,
               const Tensor& mlp, const Index& rows, const Index& groups, const ExpertsCut& cut) {
  const Blocks& b = cut.down_blocks;
  const Index tiles = ceil_div(rows, e.group_rows);
  const auto tile_of = [&](const Index& t) {
    const Index first = t * e.group_rows;
    return Rows{first, e.group_rows, min(Index(e.group_rows), rows - first), true};
  };
  block_tasks(p, "expert_down", p.exact_div(e.hidden, b.n_tile), b.per_task,
              [&](const Index& block) {
                const Index n0 = block * b.n_tile;
                for (Index t : p.range(tiles).named("tile")) {
                  const Rows r = tile_of(t);
                  assemble(sum, load_rows(io.residual, r, b.n_tile, n0), {r.first, n0});
                }
                for (Index g : p.range(groups).named("group")) {
                  const Group group = read_group(p, e, io, g);
                  auto used = p.when(group.rows.valid > 0);
                  const Tile y = project(p, mlp, group.rows, io.down, group.expert * e.hidden + n0,
                                         b.n_tile, cut.down_chain);
                  for (Index i : p.range(group.rows.valid).named("i")) {
                    const Index pair = p.let("pair", p.read(io.pairs, {g, i}));
                    const Tile weight = slice(io.weights, {1, 1}, {pair, 0});
                    const Tile one = slice(y, {1, b.n_tile}, {i, 0});
                    assemble_add(sum, row_expand_mul(one, weight), {pair / e.per_row, n0});
                  }
                }
              });
}

}  // namespace

int64_t Experts::most_groups(int64_t of_rows) const {
  const int64_t pairs = of_rows * per_row;
  return std::min(pairs, (pairs + count * (group_rows - 1)) / group_rows);
}

void route(Builder& p, const Experts& e, const RouterIo& out, const Matrix& x, const Rows& rows,
           const Matrix& router, const Chain& chain, int64_t task_rows) {
  const Tensor logits = p.tensor("router_logits", {e.rows, e.count}, DType::F32);
  const Tensor probabilities = p.tensor("probabilities", {e.rows, e.count}, DType::F32);
  projection(p, "router", logits, x, rows, router, chain, {e.count, 1});
  each_part(p, rows, task_rows, [&](const Rows& part) {
    softmax_task(p, e, probabilities, logits, part);
    top_k_task(p, e, out, probabilities, part);
  });
}

void groups_of(const Experts& e, std::span<const int32_t> chosen, std::span<int32_t> groups,
               std::span<int32_t> pairs) {
  std::vector<std::vector<int32_t>> of_expert(static_cast<std::size_t>(e.count));
  for (std::size_t pair = 0; pair < chosen.size(); ++pair) {
    const int32_t expert = chosen[pair];
    check(expert >= 0 && expert < e.count, "an expert that there is not");
    of_expert[static_cast<std::size_t>(expert)].push_back(static_cast<int32_t>(pair));
  }
  std::ranges::fill(groups, 0);
  const auto most = static_cast<std::size_t>(e.group_rows);
  std::size_t g = 0;
  for (std::size_t expert = 0; expert < of_expert.size(); ++expert) {
    const std::vector<int32_t>& own = of_expert[expert];
    for (std::size_t first = 0; first < own.size(); first += most, ++g) {
      const std::size_t rows = std::min(most, own.size() - first);
      check(2 * g + 1 < groups.size(), "more groups than there can be");
      groups[2 * g] = static_cast<int32_t>(expert);
      groups[2 * g + 1] = static_cast<int32_t>(rows);
      std::ranges::copy(std::span(own).subspan(first, rows), pairs.begin() + g * most);
    }
  }
}

void experts(Builder& p, const Experts& e, const ExpertsIo& io, const Index& rows,
             const Index& groups, const ExpertsCut& cut) {
  const int64_t gathered_rows = e.most_groups(e.rows) * e.group_rows;
  const Tensor gathered = p.tensor("gathered", {gathered_rows, e.hidden}, io.x.dtype());
  const Tensor mlp = p.tensor("mlp", {gathered_rows, e.inner}, io.x.dtype());
  gather_tasks(p, e, io, gathered, groups);
  mlp_tasks(p, e, io, mlp, gathered, groups, cut);
  sum_tasks(p, e, io, io.out, mlp, rows, groups, cut);
}

}  // namespace tilewright::programs
