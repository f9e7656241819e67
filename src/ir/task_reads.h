// What the orchestrator reads of data that tasks write. Which tasks follow depends on it, so it is
// known only when the program runs: one run records it, and unrolling then takes it from there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tilewright/base/place.h"

namespace tilewright::ir {

class TaskReads {
 public:
  // Reads at this place are recorded, others are not.
  void watch(const Place& place) { values_[key(place)]; }
  bool empty() const { return values_.empty(); }

  void record(const Place& place, double value) {
    if (const auto it = values_.find(key(place)); it != values_.end()) it->second.push_back(value);
  }

  // Gives the values back in the order in which they were read at each place.
  class Cursor {
   public:
    explicit Cursor(const TaskReads* reads) : reads_(reads) {}
    std::optional<double> next(const Place& place) {
      if (!reads_) return std::nullopt;
      const auto it = reads_->values_.find(key(place));
      const std::size_t n = done_[key(place)]++;
      if (it == reads_->values_.end() || n >= it->second.size()) return std::nullopt;
      return it->second[n];
    }

   private:
    const TaskReads* reads_;
    std::map<std::tuple<uint32_t, uint32_t, std::string>, std::size_t> done_;
  };

 private:
  using Key = std::tuple<uint32_t, uint32_t, std::string>;
  static Key key(const Place& place) { return {place.line, place.column, place.file}; }

  std::map<Key, std::vector<double>> values_;
};

}  // namespace tilewright::ir
