// The angles of RoPE as configurations state them: theta, and how they are scaled.
#pragma once

#include <string>

#include "tilewright/checkpoint/config_fields.h"
#include "tilewright/checkpoint/config_keys.h"

namespace tilewright::checkpoint {

// Fills rope_theta and rope; a longer context that the scaling gives becomes max_positions. Throws
// UserError for kinds of scaling that are not run, by name.
void read_rope(const Fields& f, ModelConfig& c);
void read_rope(const Keys& keys, const GgufFile& file, ModelConfig& c);

// The value of rope_scaling.
std::string rope_to_json(const RopeScaling& rope);

}  // namespace tilewright::checkpoint
