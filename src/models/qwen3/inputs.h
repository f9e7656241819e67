// Inputs that can reveal errors: real RoPE tables, attention that is far from uniform, context
// lengths around every block boundary, and layer outputs that differ from the residual by much
// more than the tolerance.
#pragma once

#include <map>
#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/models/qwen3/tiling.h"

namespace tilewright::models::qwen3 {

using Inits = std::map<std::string, catalog::Init>;

Inits scope1_inputs(const Choice& c);
Inits scope2_inputs(const Choice& c);
Inits scope12_inputs(const Choice& c);
Inits scope3_inputs(const Choice& c);
Inits decode_inputs(const Choice& c);
Inits lm_head_inputs(const Choice& c);
Inits embed_inputs(const Choice& c);
Inits moe_inputs(const Choice& c);

// Refuses context lengths outside 1 .. max_seq, naming the row.
void validate_lengths(const Choice& c, const std::string& program, const catalog::Arrays& io);
// Refuses groups that are not those of a choice of experts.
void validate_groups(const Choice& c, const std::string& program, const catalog::Arrays& io);
// Refuses token ids outside the vocabulary, naming the row.
void validate_tokens(const Choice& c, const std::string& program, const catalog::Arrays& io);

}  // namespace tilewright::models::qwen3
