// The trips of a counted loop, for everything that walks one.
#pragma once

#include <cstdint>

namespace tilewright::golden {

// Calls `visit` with the value of every trip until it returns false. `step` is not zero.
template <class Visit>
void for_each_trip(int64_t start, int64_t stop, int64_t step, Visit visit) {
  // In 128 bits, where neither the counter nor the distance can overflow.
  for (__int128 i = start; step > 0 ? i < stop : i > stop; i += step)
    if (!visit(static_cast<int64_t>(i))) return;
}

}  // namespace tilewright::golden
