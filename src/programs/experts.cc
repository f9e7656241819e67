#include "tilewright/programs/experts.h"

#include <algorithm>
#include <vector>

#include "tilewright/base/check.h"
#include "tilewright/base/rng.h"
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
    const Tile index = p.arange(0, {1, storage}, DType::U32).named("index");
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
      const Index row = p.let("row", p.read(io.members, {g, i}));
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

void down_tasks(Builder& p, const Experts& e, const ExpertsIo& io, const Tensor& down,
                const Tensor& mlp, const Index& groups, const ExpertsCut& cut) {
  const Blocks& b = cut.down_blocks;
  for (Index g : p.parallel(groups).named("group"))
    block_tasks(p, "expert_down", p.exact_div(e.hidden, b.n_tile), b.per_task,
                [&](const Index& block) {
                  const Group group = read_group(p, e, io, g);
                  const Index n0 = block * b.n_tile;
                  auto used = p.when(group.rows.valid > 0);
                  const Tile y = project(p, mlp, group.rows, io.down, group.expert * e.hidden + n0,
                                         b.n_tile, cut.down_chain);
                  assemble(down, y, {group.rows.first, n0});
                });
}

// Every row for itself: the residual, then what its experts add, the most probable one first.
void sum_tasks(Builder& p, const Experts& e, const ExpertsIo& io, const Tensor& down,
               const Index& rows, int64_t task_rows) {
  for (Index task : p.parallel(ceil_div(rows, task_rows)).named("task")) {
    auto core = p.incore("expert_sum");
    const Index first = task * task_rows;
    for (Index row : p.range(first, min(first + task_rows, rows)).named("row")) {
      const Tile sum = p.tensor("sum", {1, e.hidden}, DType::F32);
      assign(sum, slice(io.residual, {1, e.hidden}, {row, 0}));
      for (Index j : p.range(e.per_row).named("j")) {
        const Index place = p.let("place", p.read(io.places, {row, j}));
        const Tile y = slice(down, {1, e.hidden}, {place, 0});
        const Tile weight = slice(io.weights, {1, 1}, {row * e.per_row + j, 0});
        assign(sum, add(sum, row_expand_mul(y, weight)));
      }
      assemble(io.out, sum, {row, 0});
    }
  }
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

void groups_of(const Experts& e, std::span<const int32_t> chosen, const GroupArrays& to) {
  std::vector<std::vector<std::size_t>> pairs(static_cast<std::size_t>(e.count));  // by expert
  for (std::size_t pair = 0; pair < chosen.size(); ++pair) {
    check(chosen[pair] >= 0 && chosen[pair] < e.count, "an expert that there is not");
    pairs[static_cast<std::size_t>(chosen[pair])].push_back(pair);
  }
  std::ranges::fill(to.groups, 0);
  const auto most = static_cast<std::size_t>(e.group_rows);
  const auto per_row = static_cast<std::size_t>(e.per_row);
  std::size_t g = 0;
  for (std::size_t expert = 0; expert < pairs.size(); ++expert)
    for (std::size_t first = 0; first < pairs[expert].size(); first += most, ++g) {
      const std::size_t rows = std::min(most, pairs[expert].size() - first);
      check(2 * g + 1 < to.groups.size(), "more groups than there can be");
      to.groups[2 * g] = static_cast<int32_t>(expert);
      to.groups[2 * g + 1] = static_cast<int32_t>(rows);
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t pair = pairs[expert][first + i], place = g * most + i;
        to.members[place] = static_cast<int32_t>(pair / per_row);
        to.places[pair] = static_cast<int32_t>(place);
      }
    }
}

int64_t used_groups(std::span<const int32_t> groups) {
  int64_t n = 0;
  for (std::size_t g = 1; g < groups.size(); g += 2) n += groups[g] > 0;
  return n;
}

std::vector<int32_t> drawn_choice(const Experts& e) {
  Rng rng(17);
  std::vector<int32_t> chosen, all;
  for (int64_t x = 0; x < e.count; ++x) all.push_back(static_cast<int32_t>(x));
  for (int64_t row = 0; row < e.rows; ++row)
    for (int64_t j = 0; j < e.per_row; ++j) {
      std::swap(all[static_cast<std::size_t>(j)],
                all[static_cast<std::size_t>(rng.integer(j, e.count))]);
      chosen.push_back(all[static_cast<std::size_t>(j)]);
    }
  return chosen;
}

void experts(Builder& p, const Experts& e, const ExpertsIo& io, const Index& rows,
             const Index& groups, const ExpertsCut& cut) {
  const int64_t places = e.most_groups(e.rows) * e.group_rows;
  const Tensor gathered = p.tensor("gathered", {places, e.hidden}, io.x.dtype());
  const Tensor mlp = p.tensor("mlp", {places, e.inner}, io.x.dtype());
  const Tensor down = p.tensor("down", {places, e.hidden}, DType::F32);
  gather_tasks(p, e, io, gathered, groups);
  mlp_tasks(p, e, io, mlp, gathered, groups, cut);
  down_tasks(p, e, io, down, mlp, groups, cut);
  sum_tasks(p, e, io, down, rows, cut.sum_rows);
}

}  // namespace tilewright::programs
