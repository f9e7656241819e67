#include "tilewright/tokens/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::tokens {
namespace {

constexpr std::size_t kBlock = 64;

// Without branches, so that it is a few instructions for all of them.
bool any_above(const float* block, float limit) {
  int above = 0;
  for (std::size_t i = 0; i < kBlock; ++i) above |= block[i] > limit;
  return above != 0;
}

bool better(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

}  // namespace

// Few are kept of many, so most are turned away in whole blocks: ids ascend, and a later token must
// be above the worst that is kept.
void keep_best(std::span<const float> logits, std::size_t count, std::vector<Candidate>& best) {
  best.clear();
  if (count == 0) return;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    while (best.size() == count && i + kBlock <= logits.size() &&
           !any_above(logits.data() + i, best.front().logit))
      i += kBlock;
    if (i == logits.size()) break;
    const Candidate c{logits[i], static_cast<int32_t>(i), 0};
    if (std::isnan(c.logit) || c.logit == -std::numeric_limits<float>::infinity()) continue;
    if (best.size() < count) {
      best.push_back(c);
      std::ranges::push_heap(best, better);  // the worst is at the front
    } else if (better(c, best.front())) {
      std::ranges::pop_heap(best, better);
      best.back() = c;
      std::ranges::push_heap(best, better);
    }
  }
  std::ranges::sort_heap(best, better);
}

}  // namespace tilewright::tokens
