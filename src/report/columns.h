// Columns of numbers in the form that a page reads: the narrowest typed array that holds them, in
// base64. Pages with tens of thousands of tasks open quickly because no number is parsed as text.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace tilewright::report {

using Object = nlohmann::ordered_json;  // members in the order they are written

// {"type": "u16", "data": "..."}: u8, u16, u32, i32 or f64, little-endian. Whole numbers beyond 32
// bits become doubles, exact up to 2^53.
Object column(std::span<const int64_t> values);

std::string base64(std::span<const uint8_t> bytes);

}  // namespace tilewright::report
