// The destination of a page: the file of --output, or a name made from the program's name. It is
// tested before the work starts and written atomically.
#pragma once

#include <algorithm>
#include <cctype>
#include <functional>
#include <string>

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
      : path_(c.args.text("--output", default_name)), file_(path_) {}
  const std::string& path() const { return path_; }
  void write(const std::string& page) { file_.commit(page); }

 private:
  std::string path_;
  AtomicFile file_;
};

}  // namespace tilewright::cli
