// The destination of `measured --fit`: a platform file with the numbers that a profile decides.
#pragma once

#include <optional>
#include <string>

#include "tilewright/base/files.h"
#include "tilewright/cli/context.h"
#include "tilewright/session/chip_fit.h"

namespace tilewright::cli {

class FitOutput {
 public:
  // The file is tried before the work starts. UserError without a program.
  explicit FitOutput(const Context& c);

  bool wanted() const { return file_.has_value(); }
  const std::string& path() const { return path_; }
  // Fits and writes the file.
  session::ChipFit write(session::DeviceRun& run);
  // What was decided, in words.
  std::string text(const session::ChipFit& fit) const;

 private:
  const Context& context_;
  std::string path_;
  std::optional<AtomicFile> file_;
};

}  // namespace tilewright::cli
