// What the files of runtimes have in common: 64-bit numbers, as digits or as strings of digits.
#pragma once

#include <cstdint>

#include "tilewright/base/json_reader.h"

namespace tilewright::device {

uint64_t read_unsigned(JsonReader& json);
int read_small(JsonReader& json, const char* what);  // -1 to the largest int

// Microseconds as picoseconds.
uint64_t read_us(JsonReader& json);

}  // namespace tilewright::device
