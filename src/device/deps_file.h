// deps.json: every task in the order of submission, what it executes, and who waits for whom.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/device/profile.h"

namespace tilewright::device {

struct Dependences {
  std::vector<TaskInfo> tasks;  // files of 11 and 12 May 2026 have edges only
  bool kernels = false;         // files since June 2026 say what a task executes
  std::vector<EdgeInfo> edges;
};

// UserError with the line when the text is no such file.
Dependences read_dependences(std::string_view text, const std::string& origin);

}  // namespace tilewright::device
