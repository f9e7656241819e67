// The weights of a block of attention, as tile programs write them:
//
//   scaled = mul(scores, scale)          m = row_max(scaled)
//   e = cast(exp(row_expand_sub(scaled, m)), BF16)
//   l = row_sum(cast(e, FP32))
//
// one after the other, with nobody else reading what lies in between, are one step over each row.
#pragma once

#include "tilewright/cpu/pattern.h"

namespace tilewright::cpu {

// The first statements as one step, or none when they are something else.
std::optional<Fused> softmax_step(std::span<const ir::Stmt> statements, const Pattern& pattern,
                                  const ContextOf& context);

}  // namespace tilewright::cpu
