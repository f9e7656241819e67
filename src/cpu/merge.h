// Two parts of an attention made one, as tile programs write it: maxima m, sums l and outputs o of
// the positions so far, and m', l', o' of a block,
//
//   m_new = maximum(m, m')    alpha = exp(sub(m, m_new))    beta = exp(sub(m', m_new))
//   l = add(mul(alpha, l), mul(beta, l'))
//   o = add(row_expand_mul(o, alpha), row_expand_mul(o', beta))    m = m_new
//
// one after the other, are one step: a dozen ops on a few numbers cost more to start than to run.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "tilewright/cpu/aliases.h"
#include "tilewright/cpu/operand.h"

namespace tilewright::cpu {

// How many statements the step stands for.
inline constexpr std::size_t kMergeStatements = 12;

// The first statements as one step, or null when they are something else.
std::unique_ptr<Step> merge_step(const ir::Program& program, std::span<const ir::Stmt> statements,
                                 const Aliases& aliases,
                                 const std::function<OpContext(const ir::Op&)>& context);

}  // namespace tilewright::cpu
