// The steps from the first published scope 3 to the best layer, as predictions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"
#include "tilewright/report/profile.h"
#include "tilewright/session/request.h"

namespace tilewright::published {

// What `history` predicts when it is given no shape.
inline constexpr const char* kHistoryShape = "qwen3-32b-wide";

struct HistoryStep {
  std::string program;                     // "decode 1503"
  std::string change;                      // against the step before
  std::optional<report::Figures> figures;  // absent when the program does not fit the machine
  report::Interval likely_us;              // of the total time
  std::string binds;                       // the cost whose absence helps most
};

// Every step on the shape of the request, with its caches full. `catalog` has the Qwen3 programs.
std::vector<HistoryStep> history(const catalog::Catalog& catalog, const session::Request& request,
                                 const std::function<void(double fraction)>& progress = {});

}  // namespace tilewright::published
