// How many rows of a step each prompt gets that is being read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::runtime {

// `left` are the tokens that each prompt still has, the oldest request first. The oldest gets half
// of the rows, so that it ends however many come after it; of the others the shortest come first,
// so that a short prompt does not wait for a long one. Equally long ones are served as they came.
std::vector<int64_t> prompt_shares(std::span<const int64_t> left, int64_t rows);

}  // namespace tilewright::runtime
