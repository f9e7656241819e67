// The makers of steps, one or more per file of this directory; op_step chooses among them.
#pragma once

#include "tilewright/cpu/ops/ops.h"

namespace tilewright::cpu::ops {

StepPtr create_step(const OpContext& c);
StepPtr full_step(const OpContext& c);
StepPtr load_step(const OpContext& c);   // slice and load that copy
StepPtr store_step(const OpContext& c);  // assemble and store

StepPtr cast_step(const OpContext& c);  // also move and copy: a cast that rounds to nearest
StepPtr reshape_step(const OpContext& c);
StepPtr concat_step(const OpContext& c);
StepPtr transpose_step(const OpContext& c);
StepPtr fill_pad_step(const OpContext& c);
StepPtr set_valid_step(const OpContext& c);

StepPtr matmul_step(const OpContext& c);

StepPtr binary_step(const OpContext& c, simd::Binary op);
StepPtr compare_step(const OpContext& c);
StepPtr unary_step(const OpContext& c, simd::Unary op);

StepPtr row_reduce_step(const OpContext& c);
StepPtr row_argument_step(const OpContext& c);
StepPtr col_reduce_step(const OpContext& c);

StepPtr arange_step(const OpContext& c);
StepPtr sort32_step(const OpContext& c);
StepPtr merge_sort_step(const OpContext& c);
StepPtr gather_mask_step(const OpContext& c);
StepPtr gather_step(const OpContext& c);
StepPtr scatter_mask_step(const OpContext& c);

}  // namespace tilewright::cpu::ops
