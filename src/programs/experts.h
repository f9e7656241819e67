// A layer of experts (MoE): a router gives every row the few experts that suit it, and the row's
// result is their weighted sum. In two halves, because the tasks of the second depend on what the
// first finds out:
//   1. router: softmax over all experts, top-k (equal probabilities: the lower expert), weights;
//   2. experts: rows in groups of one expert each; rows gathered, SwiGLU, and the sum.
// Whoever runs them makes the groups from the choice in between (`groups_of`). What a row gets does
// not depend on its group: products add in ascending k, and the sum starts with the residual and goes
// over the experts of the row, the most probable first.
#pragma once

#include <span>
#include <vector>

#include "tilewright/programs/projection.h"

namespace tilewright::programs {

struct Experts {
  int64_t count = 0;       // experts
  int64_t per_row = 0;     // experts that a row has
  int64_t rows = 0;        // of a step, at most
  int64_t group_rows = 0;  // of a group, at most
  int64_t hidden = 0, inner = 0;
  bool renormalises = true;  // the weights of a row add up to one

  // Groups that so many rows have at most, whatever the router says.
  int64_t most_groups(int64_t of_rows) const;
  // Shapes of what lies between the halves.
  Shape choice_shape() const { return {rows, per_row}; }
  Shape groups_shape() const { return {most_groups(rows), 2}; }
  Shape members_shape() const { return {most_groups(rows), group_rows}; }
};

// ---- the first half ----
struct RouterIo {
  dsl::Tensor chosen;   // [rows, per_row] INT32, the most probable expert first
  dsl::Tensor weights;  // [rows, per_row] FP32
};
// Tasks. `x` is [rows, hidden], `router` [hidden, count], or [count, hidden] when transposed.
void route(dsl::Builder& p, const Experts& e, const RouterIo& out, const Matrix& x,
           const Rows& rows, const Matrix& router, const Chain& chain, int64_t task_rows);

// ---- in between ----
// Fills arrays of groups_shape (expert and rows of every group; no rows: not used), members_shape (the
// row of every place in a group) and choice_shape (where the groups have a row for each of its
// experts: group * group_rows + place), in ascending order of experts, then of rows. `chosen` holds
// the choice of the rows of a step.
struct GroupArrays {
  std::span<int32_t> groups, members, places;
};
void groups_of(const Experts& e, std::span<const int32_t> chosen, const GroupArrays& to);
// Groups that have rows.
int64_t used_groups(std::span<const int32_t> groups);
// A choice for inputs and predictions: experts drawn at random for every row, no expert twice, the
// same in every run.
std::vector<int32_t> drawn_choice(const Experts& e);

// ---- the second half ----
struct ExpertsIo {
  dsl::Tensor out;       // [rows, hidden]
  dsl::Tensor x;         // [rows, hidden], normalised
  dsl::Tensor residual;  // [rows, hidden] FP32
  dsl::Tensor weights;   // [rows * per_row, 1] FP32
  dsl::Tensor groups, members, places;
  dsl::Tensor gate, up;  // those of all experts, one after the other: [count * inner, hidden]
  dsl::Tensor down;      // [count * hidden, inner]
};
struct ExpertsCut {
  Chain chain, down_chain;
  Blocks blocks, down_blocks;
  int64_t sum_rows = 1;  // rows of a task of the sum
};
// Tasks for `rows` rows in `groups` groups, which the orchestrator knows; it may know only how many
// groups there are at most. Weights of experts without rows are not read.
void experts(dsl::Builder& p, const Experts& e, const ExpertsIo& io, const dsl::Index& rows,
             const dsl::Index& groups, const ExpertsCut& cut);

}  // namespace tilewright::programs
