// The numbers of a machine that the profile of one run on it decides.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/session/device_run.h"

namespace tilewright::session {

struct FittedNumber {
  platform::Fact was;
  double is = 0;
  double within = 0;  // relative standard deviation: how well the profile knows it
};

struct ChipFit {
  platform::Platform machine;           // with these numbers
  std::vector<platform::Fact> counted;  // read off the files: cores, threads
  std::vector<FittedNumber> fitted;
  // Numbers with an effect that the run shows only together with that of others.
  std::vector<std::string> together;
  double error_before = 0, error_after = 0;  // of the times observed, relative, root mean square
};

// The run was matched with a program. Numbers that the profile does not decide stay as they are.
ChipFit fit_chip(DeviceRun& run, const std::function<void(double fraction)>& progress = {});

// A platform file that says only what differs from `base`, the text of a platform file, or "a2a3"
// for a built-in one. `source` says what it was fitted to.
std::string fitted_platform(const ChipFit& fit, const std::string& base_text,
                            const std::string& name, const std::string& source);

}  // namespace tilewright::session
