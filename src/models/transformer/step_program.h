// The step of a whole model as tile programs: one layer, run once per layer with that layer's
// weights and caches, in two programs where it has experts, and the end, final norm and LM head. Rows are tokens of any sequences at any
// positions, prompts and decoding mixed; how many there are is known when a step runs.
#pragma once

#include "tilewright/base/array.h"
#include "tilewright/checkpoint/config.h"
#include "tilewright/ir/forward.h"
#include "tilewright/models/transformer/step_types.h"

namespace tilewright::programs {
struct PagedAttention;
struct Experts;
}

namespace tilewright::models::transformer {

// How the step is cut, chosen by who knows the machine. As it stands, for nothing in particular;
// runtime/step_tiles.h has those of this CPU and of described devices.
struct StepTiles {
  int64_t rows = 64;            // of a task of the projections
  int64_t columns = 256;        // of a block of the projections, at most
  int64_t column_unit = 1;      // blocks are whole units where the width allows it
  int64_t depth = 0;            // of a trip over the reduction, at most; 0 = half of it
  int64_t depth_unit = 1;       // trips are whole units where the depth allows it
  int64_t norm_columns = 0;     // of a trip of a norm, at most; 0 = the whole row at once
  int64_t attention_rows = 64;  // rows of Q in a task of attention
  int64_t attention_heads = 1;  // KV heads of a task of attention
  // A context of several splits gets a task for each when one task would take longer than one of
  // so many equal shares of a step's attention; 0 = never. The same bits either way.
  int64_t attention_shares = 0;
  int64_t stage_tasks = 0;  // tasks of a projection of one tile of rows, at most; 0 = one a block
  int64_t head_blocks = 4;  // blocks in a task of the LM head, when stage_tasks is 0

  bool operator==(const StepTiles&) const = default;
};

// Positions after which attention starts a new partial result. The bits of the logits beyond
// depend on it, so it follows neither the machine nor the batch.
inline constexpr int64_t kAttentionSplit = 1024;

struct StepSizes {
  checkpoint::ModelConfig model;
  StepTypes types;         // the rest is FP32
  int64_t rows = 0;        // of a step, at most
  int64_t slots = 0;       // sequences, at most
  int64_t pages = 0;       // of all sequences
  int64_t slot_pages = 0;  // of one sequence, at most
  int64_t page = 256;      // positions
  int64_t split = kAttentionSplit;  // positions, whole pages
  StepTiles tiles;

  // The vocabulary filled up to whole blocks of the LM head; the rest of its rows are zero.
  int64_t padded_vocab() const;
  programs::PagedAttention attention() const;
  programs::Experts experts() const;
  // Splits of a context of so many positions.
  int64_t splits(int64_t context) const { return (context + split - 1) / split; }
  // Partial results of attention that a step may hold at once.
  int64_t partial_rows() const;
  Shape cache_shape() const { return {pages * model.kv_heads * page, model.head_dim}; }
};

// Parameters by name. Weights are [out, in], as in checkpoints.
//   read when tasks are made:  counts [2]: rows and tiles; tiles [rows, 4]: first row, rows, splits
//                              that are tasks (0: one task takes all) and first partial result of
//                              every tile of attention
//   read by the tasks:         positions, slots, cache_rows [rows]; page_table [slots, slot_pages];
//                              cos, sin [rows, D/2]; causal
//   state:                     hidden [rows, H] FP32, k_cache, v_cache
//   with experts:              hidden is only read, and the program ends with the choice of experts:
//                              attended [rows, H] FP32, post_normed [rows, H], chosen and
//                              expert_weights [rows, experts per token] are written
ir::Program layer_program(const StepSizes& s);

// The rest of a layer with experts (programs/experts.h), whose tasks are made for a number of rows and
// of groups.
//   read when tasks are made:  counts [2]: rows and groups
//   read by the tasks:         groups [groups, 2], members [groups, rows of a group], places
//                              [rows, experts per token]; attended, post_normed and expert_weights
//                              of the layer's program
//   state:                     hidden [rows, H] FP32
ir::Program experts_program(const StepSizes& s);

//   counts [1]: rows;  hidden [rows, H] FP32;  logits [rows, padded_vocab] FP32
ir::Program head_program(const StepSizes& s);

}  // namespace tilewright::models::transformer
