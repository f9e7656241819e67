// The operands of `compare`: a program, or a program under settings of its own.
#pragma once

#include "tilewright/cli/context.h"
#include "tilewright/session/side_by_side.h"

namespace tilewright::cli {

// "qwen3/scope3", "qwen3/scope3@mlp_n=256,mlp_k=128" or "qwen3/scope3@shape=tiny". `common` is what
// the flags say for both sides; the settings after @ win.
session::Contestant compare_side(const Context& c, const std::string& operand,
                                 const session::Request& common);

// Refuses keys of --set that neither program has.
void require_known_keys(const session::Contestant& a, const session::Contestant& b,
                        const session::Request& common);

}  // namespace tilewright::cli
