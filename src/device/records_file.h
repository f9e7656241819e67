// The file in which a runtime writes when each core executed what: chip_swimlane_records.json since
// August 2026, l2_swimlane_records.json since May, l2_perf_records.json before. Read as it stands;
// `joined` makes a Profile of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/ir/core_kind.h"

namespace tilewright::device {

// Ticks of the device's clock. In files that have microseconds they are picoseconds.
using Ticks = uint64_t;

struct CoreRow {
  uint64_t task = 0;
  uint64_t token = 0;  // joins it with a SchedulerRow of the same core
  int core = -1;
  int function = -1;
  Ticks start = 0, end = 0;
  std::optional<Ticks> dispatch, finish;  // where one row holds all
};

struct SchedulerRow {
  uint64_t token = 0;
  int core = -1;
  Ticks dispatch = 0, finish = 0;
};

struct PhaseRow {
  std::size_t thread = 0;
  std::string kind;
  Ticks begin = 0, end = 0;
};

// Old files have several for one submission, one for each of its steps.
struct SubmitRow {
  uint64_t index = 0;
  uint64_t task = 0;
  std::optional<Ticks> begin, end;  // nothing: of the host's clock
};

struct RecordsFile {
  std::optional<int64_t> level;
  std::optional<int64_t> version;  // of files without a level
  bool in_us = false;
  uint64_t ticks_per_second = 0;
  std::vector<ir::CoreKind> cores;  // files with microseconds name the kind in every row
  std::vector<CoreRow> executions;
  std::vector<SchedulerRow> scheduled;
  std::size_t threads = 0;  // of the scheduler
  std::vector<PhaseRow> phases;
  std::vector<SubmitRow> submits;
  std::optional<std::vector<std::pair<uint64_t, uint64_t>>> fanout;  // producer, consumer
  bool lost = false;  // the runtime says that it lost records
};

// UserError with the line when the text is no such file. `origin` is its name in messages.
RecordsFile read_records(std::string_view text, const std::string& origin);

}  // namespace tilewright::device
