// What every configuration must satisfy, wherever it was read from.
#pragma once

#include "tilewright/checkpoint/config.h"
#include "tilewright/checkpoint/weights.h"

namespace tilewright::checkpoint {

[[noreturn]] void refuse_config(const std::string& what, const std::string& place,
                                const std::string& help);
// `type` as the file spells it; throws when it is none of our families.
Family family_of(std::string_view type, Naming naming, const std::string& place);
// A size within reason, so that products of sizes fit in 63 bits.
int64_t checked_size(double value, const std::string& field, const std::string& place);
void check_config(const ModelConfig& config, const std::string& place);

}  // namespace tilewright::checkpoint
