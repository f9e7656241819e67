// A tiling that was found once and is used again: the values of a program's keys, in a JSON file.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tilewright::data {

struct TilingFile {
  std::string program, shape, platform;
  std::map<std::string, int64_t> set;  // keys away from their defaults
  double time_us = 0;                  // as judged when it was found
  double default_us = 0;               // of the keys at their defaults
};

std::string tiling_text(const TilingFile& tiling);
// UserError with line and column for a file that is not one.
TilingFile read_tiling(const std::string& path);

}  // namespace tilewright::data
