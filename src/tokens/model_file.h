// The text files of a model's directory.
#pragma once

#include <filesystem>
#include <string>

namespace tilewright::tokens {

// UserError when it cannot be read.
std::string read_model_text(const std::filesystem::path& path);

}  // namespace tilewright::tokens
