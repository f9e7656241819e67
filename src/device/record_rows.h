// One row of a file of records, in each of its forms. Read as it stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base/json_reader.h"
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
  std::optional<Ticks> received;          // by the core, before it prepared the start
  std::optional<Ticks> dispatch, finish;  // where one row holds all
};

struct SchedulerRow {
  uint64_t token = 0;
  int core = -1;
  std::optional<Ticks> dispatch, finish;
};

// All that is known of one execution: files that have microseconds.
struct WholeRow {
  CoreRow row;
  ir::CoreKind kind = ir::CoreKind::Vector;
  std::optional<std::vector<uint64_t>> consumers;  // tasks that wait for it
};

// A time in ticks or, in older files, in microseconds.
struct Interval {
  std::optional<Ticks> begin, end;
  bool in_us = false;
};

struct PhaseRow {
  std::size_t thread = 0;
  std::string kind;
  Interval when;
};

// Old files have several for one submission, one for each of its steps.
struct SubmitRow {
  std::size_t thread = 0;
  uint64_t index = 0;
  uint64_t task = 0;
  Interval when;  // empty: of the host's clock
};

CoreRow read_core_row(JsonReader& json);
SchedulerRow read_scheduler_row(JsonReader& json);
WholeRow read_whole_row(JsonReader& json);
PhaseRow read_phase(JsonReader& json, std::size_t thread);
SubmitRow read_submit(JsonReader& json, std::size_t thread);
ir::CoreKind read_core_kind(JsonReader& json);  // "aic" or "aiv"

}  // namespace tilewright::device
