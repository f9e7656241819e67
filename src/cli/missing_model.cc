#include "tilewright/cli/missing_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tilewright/base/diagnostic.h"

namespace tilewright::cli {
namespace {

// Public repositories on huggingface.co, small ones first.
constexpr std::string_view kRepositories =
    "Qwen/Qwen3-0.6B, Qwen/Qwen3-4B, TinyLlama/TinyLlama-1.1B-Chat-v1.0; as one file, "
    "Qwen/Qwen3-0.6B-GGUF";

std::string download(const std::string& repository) {
  return fmt::format("hf download {} --local-dir {}", repository,
                     repository.substr(repository.find('/') + 1));
}

// OWNER/NAME, in the characters that names of repositories have.
bool is_repository(const std::string& path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == path.size() || path[0] == '.')
    return false;
  return std::ranges::count(path, '/') == 1 && std::ranges::all_of(path, [](unsigned char c) {
           return std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '/';
         });
}

std::string how_to_obtain() {
  return fmt::format(
      "tools/fetch_models downloads small models. Larger ones are public on huggingface.co ({}), "
      "and its client downloads them: {}",
      kRepositories, download("Qwen/Qwen3-0.6B"));
}

}  // namespace

void refuse_no_model(std::string_view command) {
  user_error("command-line", fmt::format("{} needs a model", command), "", "-m names the model",
             how_to_obtain());
}

void refuse_missing_model(const std::string& path) {
  user_error("model-file", fmt::format("{} is not a model", path), "there is no such file",
             "a model is a directory with config.json and .safetensors files, or a .gguf file",
             is_repository(path)
                 ? fmt::format("check the path; if it is a repository on huggingface.co, download "
                               "it first: {}",
                               download(path))
                 : fmt::format("check the path. {}", how_to_obtain()));
}

}  // namespace tilewright::cli
