// The file in which a runtime writes when each core executed what: chip_swimlane_records.json since
// August 2026, l2_swimlane_records.json since the end of May, l2_perf_records.json before. Read as
// it stands; `joined` makes a Profile of it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/device/record_rows.h"

namespace tilewright::device {

struct RecordsFile {
  std::optional<int64_t> level;  // nothing: of a date without levels
  bool in_us = false;
  uint64_t ticks_per_second = 0;
  std::vector<ir::CoreKind> cores;  // files with microseconds name the kind in every row
  std::vector<CoreRow> executions;
  std::vector<SchedulerRow> scheduled;
  std::size_t threads = 0;    // of the scheduler
  std::set<int64_t> serving;  // those that have cores
  std::vector<PhaseRow> phases;
  std::vector<SubmitRow> submits;
  std::optional<std::vector<std::pair<uint64_t, uint64_t>>> fanout;  // producer, consumer
  bool lost = false;  // the runtime says that it lost records
};

// UserError with the line when the text is no such file. `origin` is its name in messages.
RecordsFile read_records(std::string_view text, const std::string& origin);

}  // namespace tilewright::device
