// The benchmarks, one function per file. Each prints a table and measures its limits itself.
#pragma once

#include "tilewright/ir/program.h"

namespace tilewright::bench {

void bench_unroll();
void bench_sim();
void bench_limits();
void bench_read();
void bench_layer();
void bench_attention();
void bench_stack();

// The dependence pattern of decode-spec B.6 stage 7: per MLP block and output block a product, then
// an update of one accumulator tensor in GM.
ir::Program down_projection(int64_t blocks);

}  // namespace tilewright::bench
