// What a tuner may change: keys of a program and the values each may take.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"

namespace tilewright::improve {

using Point = std::map<std::string, int64_t>;  // a value for every axis

struct Axis {
  std::string key;
  std::vector<int64_t> values;  // ascending; the default is among them
  // The choices were not stated by the author, so the result must be compared with the original.
  bool derived = false;
};

struct Space {
  std::vector<Axis> axes;  // each with two values at least
  Point start;             // the keys as they are

  // Whether a derived key differs from its start value at this point.
  bool derives(const Point& point) const;

  // The number of points, at most 2^62.
  int64_t size() const;
};

// The keys of `config` that know their choices, and those of `wanted`, which replaces their
// choices; keys in `fixed` keep their value. UserError for a key in `wanted` that the program does
// not have or cannot set. May be empty.
Space make_space(const catalog::Config& config, const std::map<std::string, std::vector<int64_t>>& wanted,
                 const std::map<std::string, int64_t>& fixed);

// UserError when there is nothing to search.
void require_axes(const Space& space);

}  // namespace tilewright::improve
