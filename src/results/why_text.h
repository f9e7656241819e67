// The text and the JSON of `sim --why`.
#pragma once

#include <string>

#include "tilewright/results/json_parts.h"
#include "tilewright/session/why.h"

namespace tilewright::results {

std::string why_text(const session::Why& why);
Object why_json(const session::Why& why);

}  // namespace tilewright::results
