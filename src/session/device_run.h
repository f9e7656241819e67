// A run that was profiled on a device: on its own, or beside the prediction of its program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/device/nameless.h"
#include "tilewright/session/predict.h"

namespace tilewright::session {

// Who waits for whom, on the device and by the rules of the prediction; pairs of submissions.
struct EdgeComparison {
  using Pair = std::pair<std::size_t, std::size_t>;  // producer, consumer
  std::size_t both = 0;
  std::vector<Pair> only_measured, only_predicted;
};

struct DeviceRun {
  device::Profile profile;
  platform::Platform machine;
  std::optional<TimedRun> predicted;    // of the program, when one was given
  device::NamelessRun nameless;         // when none was
  ir::RunRecord record;                 // tasks as in `graph`
  std::vector<std::size_t> first_task;  // of each submission that has tasks; at the end, of all
  report::Profile measured;
  std::optional<EdgeComparison> edges;  // when the files have them; `both` alone without a program

  const ir::Plan& plan() const { return predicted ? *predicted->session->plan() : nameless.plan; }
  const ir::TaskGraph& graph() const {
    return predicted ? *predicted->session->graph() : nameless.graph;
  }
  // The program was wrong, and there is nothing but its diagnostics.
  bool passed() const { return !predicted || predicted->passed(); }
  // "gate[ob=3]": the first task of the i-th submission that has tasks.
  std::string submission_name(std::size_t i) const;
  // Dispatch and finish are recorded.
  bool has_latency() const;
};

DeviceRun device_run(device::Profile profile, const platform::Platform& machine);

// ProgramError when the profile is not one of this program (device/match.h).
DeviceRun device_run(device::Profile profile, const catalog::ProgramDef& def,
                     const Request& request, const TimeOptions& options = {});

}  // namespace tilewright::session
