#include "tilewright/tokens/model_file.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"

namespace tilewright::tokens {

std::string read_model_text(const std::filesystem::path& path) {
  FileText file = try_read_text(path);
  if (!file.problem.empty())
    user_error("model-file", fmt::format("cannot read {}", path.string()), "in the model's files",
               "every file of a model must be a readable regular file",
               "check the path and its permissions");
  return std::move(file.text);
}

}  // namespace tilewright::tokens
