// Batch rows and blocks: how a stage walks over tiles of rows and turns blocks of work into tasks.
// Used by every stage of this room. Stages give an op at most one operand that is itself an op: C++
// leaves the order of arguments open, and the order of a program's statements must not depend on
// the compiler.
#pragma once

#include <cstdint>
#include <string_view>

#include "tilewright/dsl/ops.h"

namespace tilewright::programs {

// A tile of batch rows. The last tile of an odd batch has fewer real rows than storage: its loads
// carry a valid shape, and stores write only the real rows.
struct Rows {
  dsl::Index first;  // in the batch
  int64_t tile = 0;  // rows of storage
  dsl::Index valid;  // real rows, 1..tile
  bool partial = false;
};

// The `index`-th tile of a batch; walk them with p.parallel(row_tile_count(batch, tile)).
Rows rows_at(const dsl::Index& index, int64_t batch, int64_t tile);
int64_t row_tile_count(int64_t batch, int64_t tile);
// Rows [part * size, (part + 1) * size) of a tile of rows, as far as they are real.
Rows part_of(const Rows& rows, const dsl::Index& part, int64_t size);

// In a scope: columns [col, col + cols) of the tile's rows of `x`, which holds the whole batch.
dsl::Tile load_rows(const dsl::Tensor& x, const Rows& rows, int64_t cols, const dsl::Index& col,
                    Here here = {});
// In a scope: the same rows as a tile of zeros.
dsl::Tile zero_rows(dsl::Builder& p, const Rows& rows, int64_t cols, DType dtype = DType::F32);

// In a scope: the same numbers as `dtype`; no op when they are that already.
dsl::Tile as_type(const dsl::Tile& x, DType dtype);

// A loop inside a scope; more than one stage keeps that many loads in flight.
dsl::LoopRange staged_loop(dsl::Builder& p, const dsl::Index& start, const dsl::Index& stop,
                           int64_t stages, Here here = {});

// One task per `per_task` consecutive blocks; `body(block)` writes the ops of one block. The last
// task takes what is left.
template <class Body>
void block_tasks(dsl::Builder& p, std::string_view name, int64_t blocks, int64_t per_task,
                 Body&& body, dsl::AtOptions options = {}, Here here = {}) {
  using dsl::Index;
  if (per_task <= 1) {
    for (Index block : p.parallel(blocks, {}, here).named("block")) {
      auto core = p.at(dsl::Level::CoreGroup, name, options, here);
      body(block);
    }
    return;
  }
  const int64_t tasks = (blocks + per_task - 1) / per_task;
  for (Index task : p.parallel(tasks, {}, here).named("task")) {
    auto core = p.at(dsl::Level::CoreGroup, name, options, here);
    const Index begin = task * per_task;
    const Index end = blocks % per_task == 0 ? begin + per_task : min(begin + per_task, blocks);
    for (Index block : p.range(begin, end, 1, {}, here).named("block")) body(block);
  }
}

// body(rows) for every `size` consecutive rows of a tile; without a loop when that is the whole tile.
template <class Body>
void each_part(dsl::Builder& p, const Rows& rows, int64_t size, Body&& body, Here here = {}) {
  using dsl::Index;
  if (size >= rows.tile) return body(rows);
  const Index parts = rows.partial ? (rows.valid + (size - 1)) / size
                                   : Index(row_tile_count(rows.tile, size));
  for (Index part : p.parallel(parts, {}, here).named("part")) body(part_of(rows, part, size));
}

// Tasks that fill columns of `x` with zeros, eight blocks of `n_tile` each. No stage here needs it;
// the programs that keep a zero-fill of their original do.
void zero_columns(dsl::Builder& p, std::string_view name, const dsl::Tensor& x, const Rows& rows,
                  int64_t n_tile);

}  // namespace tilewright::programs
