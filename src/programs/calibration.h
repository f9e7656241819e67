// Small programs that were measured on devices, for `tilewright calibrate`. They are judged by their
// time, so they have neither formula nor inputs.
#pragma once

#include "tilewright/catalog/catalog.h"

namespace tilewright::programs {

// RoPE and cache write of 16 rows, a task each: 8 KV heads with 8 Q heads each, 128 elements a head.
// Q heads one by one, or the 8 of a KV head at once.
catalog::ProgramDef calibration_rope(bool at_once);

// [16, 17408] x [17408, 5120] with residual-free output: a task per block of n_tile columns, 256 rows
// of the weight a step, not pipelined.
catalog::ProgramDef calibration_down(int64_t n_tile);

// [16, 5120] x [152064, 5120]^T: two blocks of 256 outputs a task, 512 deep steps, not pipelined.
catalog::ProgramDef calibration_lm_head();

// [128, 128] x [64, 128]^T in INT8, the product stored every step.
catalog::ProgramDef calibration_int8(int64_t steps, int64_t stages);

}  // namespace tilewright::programs
