// What -m says when it names no model: how one is obtained.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::cli {

[[noreturn]] void refuse_no_model(std::string_view command);
// `path` is not there. It may be meant as a repository: Qwen/Qwen3-0.6B.
[[noreturn]] void refuse_missing_model(const std::string& path);

}  // namespace tilewright::cli
