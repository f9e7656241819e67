#include "tilewright/tokens/logprobs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tilewright/tokens/candidates.h"

namespace tilewright::tokens {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

}  // namespace

Logprobs logprobs_of(std::span<const float> logits, int32_t chosen, std::size_t count) {
  std::vector<Candidate> best;
  keep_best(logits, std::max<std::size_t>(count, 1), best);
  if (best.empty()) return {kImpossible, {}};
  const double top = best.front().logit;
  const auto above = [&](float logit) {  // over the best one; 0 also where both are infinite
    return logit == best.front().logit ? 0 : static_cast<double>(logit) - top;
  };
  double sum = 0;
  for (const float logit : logits)
    if (!std::isnan(logit)) sum += std::exp(above(logit));
  const double all = std::log(sum);
  const auto logprob = [&](float logit) {
    return std::isnan(logit) ? kImpossible : above(logit) - all;
  };
  Logprobs out{logprob(logits[static_cast<std::size_t>(chosen)]), {}};
  best.resize(std::min(best.size(), count));
  for (const Candidate& c : best) out.best.push_back({c.id, logprob(c.logit)});
  return out;
}

}  // namespace tilewright::tokens
