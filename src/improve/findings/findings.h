// What costs time and has no mechanical rewrite: detectors whose gain is an estimate, one idea each.
#pragma once

#include "tilewright/improve/advice.h"

namespace tilewright::improve {

void find_shared_loads(const Subject& s, Findings& out);        // shared-loads
void find_round_trips(const Subject& s, Findings& out);         // round-trip, epilogue, fill-task
void find_sums_in_gm(const Subject& s, Findings& out);          // gm-reduction
void find_narrow_rows(const Subject& s, Findings& out);         // small-dma
void find_padded_rows(const Subject& s, Findings& out);         // padded-rows
void find_idle_right_memory(const Subject& s, Findings& out);   // l0b-underuse
void find_long_merges(const Subject& s, Findings& out);         // merge-chain
void find_single_row_ops(const Subject& s, Findings& out);      // single-rows

}  // namespace tilewright::improve
