// What came out of a run, as plain data: phases with their times, one comparison per output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/catalog/catalog.h"
#include "tilewright/report/profile.h"
#include "tilewright/session/compare.h"
#include "tilewright/session/explore.h"

namespace tilewright::session {

// Skipped: there was nothing to compare with; not counted as a pass.
enum class Status : uint8_t { Pass, Fail, Skipped };
std::string_view status_name(Status s);  // PASS, FAIL, SKIPPED

struct Phase {
  std::string name;
  double seconds = 0;
  std::string detail;  // "25 tasks"; may be empty
};

struct OutputResult {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  catalog::Tolerance tolerance;
  Status status = Status::Skipped;
  Comparison comparison;  // matched is 0 when skipped
  // For an output that is an input plus something small: the input, and the error relative to what
  // was added to it.
  std::string added_to = {};
  double added_relative_l2 = 0;
};

struct RunResult {
  std::string program, shape, platform, executor;
  std::string sums;  // in which order the executor adds products
  std::vector<catalog::Key> keys;
  uint64_t seed = 0;
  int64_t kernels = 0;
  int64_t tasks = 0;
  std::vector<Phase> phases;
  std::vector<OutputResult> outputs;
  std::optional<report::Profile>
      predicted;                           // on a simulated platform: the time it would take there
  std::optional<Exploration> exploration;  // when it was asked for
  Diagnostics diagnostics;                 // with errors: nothing was run
  Status status = Status::Fail;
  double seconds = 0;

  bool passed() const { return status == Status::Pass; }
};

}  // namespace tilewright::session
