// The search for a better tiling: the checker and the builder refuse candidates, a judge times the
// rest. The candidates follow from the space and the seed alone, so a search with a budget of
// candidates always ends in the same place; one with a budget of time walks the same way and may
// stop earlier.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/improve/space.h"

namespace tilewright::improve {

struct Verdict {
  double time_us = 0;
  int64_t tasks = 0;
  std::string refused;  // why the candidate cannot be used: the code of its first error

  bool usable() const { return refused.empty(); }
};
// Called from several threads at once.
using Judge = std::function<Verdict(const Point&)>;

struct TuneOptions {
  int64_t candidates = INT64_MAX;  // judged at most
  std::chrono::duration<double> time = std::chrono::hours(24);
  uint64_t seed = 1;
  int threads = 1;
  double floor_us = 0;  // lower bound of the time; the search ends when it is reached
  const std::atomic<bool>* stop = nullptr;  // set from outside: end with the best so far
};

struct Tuned {
  Point start, best;
  Verdict start_verdict, best_verdict;
  int64_t judged = 0;  // candidates, each once
  std::map<std::string, int64_t> refused;  // by reason
  std::vector<double> times;               // of those that can be used, in the order judged
  bool stopped = false;    // from outside
  bool exhausted = false;  // every point of the space was judged
  bool at_floor = false;   // nothing can be faster than the best

  bool found() const { return best_verdict.usable(); }
  bool better() const { return best != start; }
};

// `heard` is called after every candidate. The start may be a refused point. When every candidate
// is refused, the verdict of the best is a refusal too.
Tuned tune(const Space& space, const Judge& judge, const TuneOptions& options,
           const std::function<void(const Tuned&)>& heard = {});

}  // namespace tilewright::improve
