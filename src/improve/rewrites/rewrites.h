// Rewrites: ways to change a program so that it computes the same in less time. A rewriter only
// proposes; the checker, the simulator and the comparison of values judge every proposal, so a
// rewriter may be generous where it cannot prove that a change is legal.
#pragma once

#include <string>
#include <vector>

#include "tilewright/improve/advice.h"
#include "tilewright/ir/program.h"

namespace tilewright::improve {

struct Rewrite {
  std::string code;    // of the finding it makes; docs/advice.md has one entry for each
  std::string what;    // what costs time now, with numbers
  Where where;         // of several rewrites with the same code and place the best is kept
  std::string change;  // what the rewrite does
  ir::Program program;
};
using Rewrites = std::vector<Rewrite>;

using Rewriter = void (*)(const Subject& s, Rewrites& out);
const std::vector<Rewriter>& all_rewriters();

// ---- one idea each, in a file of its own ----
void drop_zero_init(const Subject& s, Rewrites& out);             // zero-init
void drop_fills_in_scopes(const Subject& s, Rewrites& out);       // zero-init
void drop_dead_stores(const Subject& s, Rewrites& out);           // dead-store
void accumulate_in_cube(const Subject& s, Rewrites& out);         // matmul-acc
void fold_small_tasks(const Subject& s, Rewrites& out);           // small-tasks
void unorder_loops(const Subject& s, Rewrites& out);              // ordered-loop
void hoist_invariant_reads(const Subject& s, Rewrites& out);      // invariant-read
void finish_gm_sums(const Subject& s, Rewrites& out);             // gm-reduction
void share_loads(const Subject& s, Rewrites& out);                // shared-loads
void join_round_trips(const Subject& s, Rewrites& out);           // epilogue, round-trip
void grow_tiles(const Subject& s, Rewrites& out);                 // tile-size
void pipeline_loops(const Subject& s, Rewrites& out);             // pipeline
void split_long_tasks(const Subject& s, Rewrites& out);           // long-tasks
void hoist_loads(const Subject& s, Rewrites& out);                // invariant-load
void load_blocks_together(const Subject& s, Rewrites& out);       // block-loads
void limit_padded_rows(const Subject& s, Rewrites& out);          // padded-rows

}  // namespace tilewright::improve
