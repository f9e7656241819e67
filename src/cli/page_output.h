// The destination of a page: the file of --output, or a name made from the program's name. It is
// tested before the work starts and written atomically.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/cli/context.h"

namespace tilewright::cli {

// "qwen3-scope3.profile.html": in the current directory, whatever the program's name holds.
inline std::string page_name(std::string program, const std::string& kind) {
  const auto plain = [](char ch) {
    return std::isalnum(static_cast<unsigned char>(ch)) || ch == '.' || ch == '_' || ch == '-';
  };
  std::ranges::replace_if(program, std::not_fn(plain), '-');
  return program + "." + kind + ".html";
}

class PageOutput {
 public:
  PageOutput(const Context& c, const std::string& default_name)
      : path_(with_ending(c.args.text("--output", default_name))), file_(path_) {}
  const std::string& path() const { return path_; }
  void write(const std::string& page) { file_.commit(page); }

 private:
  // A browser opens a page by its ending; a device or a pipe has none.
  static std::string with_ending(const std::string& path) {
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    const bool stream = std::filesystem::exists(status) && std::filesystem::is_other(status);
    const bool directory = std::filesystem::is_directory(status);
    if (!stream && !directory && !path.ends_with(".html") && !path.ends_with(".htm"))
      user_error("output", fmt::format("{} does not end in .html", path),
                 fmt::format("in --output {}", path), "a report is an HTML page",
                 fmt::format("write it with -o {}",
                             std::filesystem::path(path).replace_extension(".html").string()));
    return path;
  }

  std::string path_;
  AtomicFile file_;
};

}  // namespace tilewright::cli
