#include "tilewright/improve/rewrites/rewrites.h"

namespace tilewright::improve {

const std::vector<Rewriter>& all_rewriters() {
  static const std::vector<Rewriter> kAll{
      drop_zero_init, accumulate_in_cube, fold_small_tasks, unorder_loops, hoist_invariant_reads,
      grow_tiles, pipeline_loops, split_long_tasks,
      finish_gm_sums, share_loads, join_round_trips, load_blocks_together,
      hoist_loads, drop_fills_in_scopes, drop_dead_stores, limit_padded_rows,
  };
  return kAll;
}

}  // namespace tilewright::improve
