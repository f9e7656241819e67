// A guess at how a text goes on: as it went on where its last tokens stood before. Texts that quote
// or repeat themselves are guessed well, and a wrong guess costs a row of a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright::runtime {

// At most `count` tokens; none when the end of the text is new.
std::vector<int32_t> drafts_of(std::span<const int32_t> text, int64_t count);

}  // namespace tilewright::runtime
