// The weights of a block of attention, as tile programs write them:
//
//   scaled = mul(scores, scale)          m = row_max(scaled)
//   e = cast(exp(row_expand_sub(scaled, m)), BF16)
//   l = row_sum(cast(e, FP32))
//
// one after the other, with nobody else reading what lies in between, are one step over each row.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "tilewright/cpu/aliases.h"
#include "tilewright/cpu/operand.h"

namespace tilewright::cpu {

// How many statements the step stands for.
inline constexpr std::size_t kSoftmaxStatements = 7;

// Whether the first statements are.
bool is_softmax(const ir::Program& program, std::span<const ir::Stmt> statements,
                const Aliases& aliases);
// They as one step, or null when they are something else.
std::unique_ptr<Step> softmax_step(const ir::Program& program, std::span<const ir::Stmt> statements,
                                   const Aliases& aliases,
                                   const std::function<OpContext(const ir::Op&)>& context);

}  // namespace tilewright::cpu
