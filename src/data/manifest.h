// The text of a data directory's manifest.json.
#pragma once

#include <string>

#include "tilewright/data/data_dir.h"

namespace tilewright::data {

std::string manifest_text(const Manifest& manifest);
// Throws UserError with the line when the text is not a manifest of ours.
Manifest parse_manifest(const std::string& text, const std::string& origin);

}  // namespace tilewright::data
