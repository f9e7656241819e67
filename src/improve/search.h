// A search over the keys of a program with a verified result: if constants of a file were changed,
// the winner is run and compared with the original, and keys that change the computed values are
// excluded from the search.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/improve/same_results.h"
#include "tilewright/improve/tune.h"
#include "tilewright/report/interval.h"
#include "tilewright/session/request.h"

namespace tilewright::improve {

struct SearchRequest {
  std::map<std::string, std::vector<int64_t>> wanted;  // keys and values to search; empty = all
  std::map<std::string, int64_t> fixed;                // keys that keep their value
  TuneOptions options;
};

struct Searched {
  Space space;
  Tuned tuned;
  std::vector<std::string> change_values;  // keys that change what is computed: left out
  std::vector<OutputMatch> outputs;        // of the winner, if it was run
  // Of predictions: how many times faster, and the roofline of the winner.
  std::optional<report::Interval> faster;
  double roofline_us = 0;
  // What makes the predictions doubtful, of the original and of the winner (session::caveats).
  Diagnostics start_caveats, best_caveats;
  // Other candidates whose predicted time is within the simulator's error of the best.
  int64_t as_good = 0;
};

struct SearchObserver {
  std::function<void(const Space&)> begin = {};
  std::function<void(const Tuned&)> judged = {};
  std::function<void()> compare = {};  // the winner is run
};

// The space that a search has; may be empty.
Space space_of(const catalog::ProgramDef& def, const session::Request& request,
               const SearchRequest& search);

// UserError when there is nothing to search.
Searched search(const catalog::ProgramDef& def, const session::Request& request,
                const SearchRequest& search, const SearchObserver& observer = {});

}  // namespace tilewright::improve
