// The destination of --json: nowhere, stdout, or a file that is tried before the work starts.
#pragma once

#include <optional>

#include "tilewright/base/files.h"
#include "tilewright/cli/context.h"

namespace tilewright::cli {

class JsonOutput {
 public:
  explicit JsonOutput(const Context& c) : context_(c) {
    if (c.args.has("--json") && c.args.text("--json") != "-") file_.emplace(c.args.text("--json"));
  }
  void write(const std::string& text) {
    if (file_)
      file_->commit(text);
    else if (context_.args.has("--json"))
      context_.out << text;
  }

 private:
  const Context& context_;
  std::optional<AtomicFile> file_;
};

}  // namespace tilewright::cli
