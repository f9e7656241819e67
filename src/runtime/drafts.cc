#include "tilewright/runtime/drafts.h"

#include <algorithm>

namespace tilewright::runtime {

std::vector<int32_t> drafts_of(std::span<const int32_t> text, int64_t count) {
  for (const std::size_t length : {std::size_t{3}, std::size_t{2}}) {
    if (text.size() <= length || count <= 0) continue;
    const auto end = text.last(length);
    // The latest place before the end, which may overlap it.
    for (std::size_t at = text.size() - length; at-- > 0;) {
      if (!std::ranges::equal(text.subspan(at, length), end)) continue;
      const auto after = text.subspan(at + length);
      std::vector<int32_t> drafts;
      for (std::size_t i = 0; drafts.size() < static_cast<std::size_t>(count); ++i)
        drafts.push_back(i < after.size() ? after[i] : drafts[i - after.size()]);
      return drafts;
    }
  }
  return {};
}

}  // namespace tilewright::runtime
