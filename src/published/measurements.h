// The published measurements that predictions are compared with, as data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"

namespace tilewright::published {

// A record is one core's part of a task: a mixed task has one for each core of its cluster.
enum class Quantity : uint8_t {
  Tasks,
  Total,
  Latency,
  Exec,
  Head,
  ExecPerStep,
  RecordExec,
  RecordLatency
};
const char* quantity_name(Quantity q);

struct Measurement {
  Quantity quantity = Quantity::Total;
  double value = 0;    // us; ns for a step
  double limit = 0;    // relative; how near a prediction must come
  std::string kernel;  // empty = the whole program
  int64_t steps = 1;   // of the kernel's loop
};

struct MeasuredCase {
  int row = 0;  // of the calibration table
  std::string what;
  catalog::ProgramDef program;
  std::map<std::string, int64_t> set;  // keys away from their defaults
  std::string thread;  // that published it, "pypto-lib#90"
  std::string rules;   // of the runtime it was measured with, or its day
  std::vector<Measurement> measurements;
  std::string shape = {};  // empty: the program's default
  bool known_gap = false;  // outside its limit; docs/platforms.md says so
  std::string before = {};  // `what` of the case that it improves, if both were published
};

std::vector<MeasuredCase> measured_cases();

}  // namespace tilewright::published
