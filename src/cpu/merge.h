// Two parts of an attention made one, as tile programs write it: maxima m, sums l and outputs o of
// the positions so far, and m', l', o' of a block,
//
//   m_new = maximum(m, m')    alpha = exp(sub(m, m_new))    beta = exp(sub(m', m_new))
//   l = add(mul(alpha, l), mul(beta, l'))
//   o = add(row_expand_mul(o, alpha), row_expand_mul(o', beta))    m = m_new
//
// one after the other, are one step: a dozen ops on a few numbers cost more to start than to run.
#pragma once

#include "tilewright/cpu/pattern.h"

namespace tilewright::cpu {

// The first statements as one step, or none when they are something else.
std::optional<Fused> merge_step(std::span<const ir::Stmt> statements, const Pattern& pattern,
                                const ContextOf& context);

}  // namespace tilewright::cpu
