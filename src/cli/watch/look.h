// One look at a program file: read, checked, predicted, and what a page shows of it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "tilewright/cli/context.h"
#include "tilewright/report/page.h"
#include "tilewright/session/timed_run.h"

namespace tilewright::cli {

struct Look {
  std::shared_ptr<const catalog::ProgramDef> def;  // null when the file could not be read
  std::set<std::string> files;                     // that decide what the program is
  Diagnostics diagnostics;                         // errors, or what stands beside a prediction
  std::shared_ptr<report::Object> data;            // of the page; null when there are errors
  std::shared_ptr<session::TimedRun> run;          // the same; `def` must outlive it
  double us = 0;                                   // predicted
  double seconds = 0;                              // that this took

  bool good() const { return data != nullptr; }
};

// Never throws for what a file holds: that is what the page is for.
Look look_at_file(const Context& c, const std::string& operand, const session::Request& request);

}  // namespace tilewright::cli
