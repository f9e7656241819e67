// A tiling in a JSON file: the values of a program's keys that `tune` found, to be used again.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tilewright::data {

struct TilingFile {
  std::string program, shape, platform;
  std::map<std::string, int64_t> set;  // keys that differ from their defaults
  double time_us = 0;                  // predicted or measured when it was found
  double default_us = 0;               // with all keys at their defaults
};

std::string tiling_text(const TilingFile& tiling);
// UserError with line and column for a file that is not a tiling.
TilingFile read_tiling(const std::string& path);

}  // namespace tilewright::data
