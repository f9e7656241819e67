// How the programs of a step are cut: StepTiles for the widths of one model. Used by both programs.
#pragma once

#include "tilewright/models/transformer/step_program.h"
#include "tilewright/programs/projection.h"
#include "tilewright/programs/rms_norm.h"

namespace tilewright::models::transformer {

struct Cut {
  const StepTiles& t;
  const checkpoint::ModelConfig& m;

  int64_t columns(int64_t width) const;
  // In tasks of blocks: all of a stage alike, as far as a stage may have that many.
  programs::Blocks blocks(int64_t width, int64_t columns, int64_t otherwise = 1) const;
  programs::Blocks blocks(int64_t width) const { return blocks(width, columns(width)); }
  int64_t heads_of_block(int64_t heads) const;  // blocks are of whole heads
  // At least two trips where the depth has two units: a loop is what the cpu takes for one long
  // product, with one left operand for several weights. A depth that no unit divides is one trip.
  programs::Chain chain(int64_t depth) const;
  programs::RmsNorm norm() const;  // of rows of the residual stream
};

// Calls body(rows) in a parallel loop over tiles of the real rows; what a tile has more in storage
// is never touched.
template <class Body>
void each_row_tile(dsl::Builder& p, int64_t row_tile, const dsl::Index& read_rows, Body&& body) {
  const dsl::Index rows = p.let("rows", read_rows);
  for (dsl::Index tile : p.parallel(ceil_div(rows, row_tile)).named("tile")) {
    const dsl::Index first = tile * row_tile;
    body(programs::Rows{first, row_tile, min(dsl::Index(row_tile), rows - first), true});
  }
}

}  // namespace tilewright::models::transformer
