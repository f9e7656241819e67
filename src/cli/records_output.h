// The destination of --records: a directory for the files that a runtime would have recorded of the
// predicted run. Its flags are tested before the work starts.
#pragma once

#include <optional>
#include <string>

#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"
#include "tilewright/session/records.h"

namespace tilewright::cli {

inline constexpr Flag kRecords{"", "--records", "DIR",
                               "writes the run as profile files of a runtime"};
inline constexpr Flag kRecordsForm{"", "--records-form", "NAME",
                                   "their form (default chip-swimlane); l2-swimlane, ..."};
inline constexpr Flag kRecordsLevel{"", "--records-level", "N",
                                    "their level of detail, 1 to 4 (default 4)"};

class RecordsOutput {
 public:
  // UserError for a form or a level that does not exist, and for a directory that cannot be made.
  explicit RecordsOutput(const Context& c);

  // Whether the prediction must keep its phases.
  bool wanted() const { return !directory_.empty(); }
  // The names of the files, in words.
  std::string write(const session::TimedRun& run) const;

 private:
  std::string directory_;
  device::RecordsForm form_ = device::RecordsForm::ChipSwimlane;
  int level_ = 4;
};

}  // namespace tilewright::cli
