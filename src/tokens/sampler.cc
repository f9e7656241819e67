#include "tilewright/tokens/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/rng.h"

namespace tilewright::tokens {
namespace {

void check_range(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  user_error("sampling", fmt::format("{} = {} is not between {} and {}", name, value, low, high),
             "", "every sampling setting has a valid range", "omit the flag to use its default");
}

constexpr std::size_t kBlock = 64;

// Without branches, so that it is a few instructions for all of them.
bool any_above(const float* block, float limit) {
  int above = 0;
  for (std::size_t i = 0; i < kBlock; ++i) above |= block[i] > limit;
  return above != 0;
}

}  // namespace

void check_sampling(const SamplingOptions& o) {
  check_range("temperature", o.temperature, 0, 100);
  check_range("top-k", static_cast<double>(o.top_k), 0, 1e9);
  check_range("top-p", o.top_p, 0, 1);
  check_range("min-p", o.min_p, 0, 1);
  check_range("repetition penalty", o.repetition_penalty, 0.01, 100);
  check_range("presence penalty", o.presence_penalty, -100, 100);
}

Sampler::Sampler(const SamplingOptions& options) : options_(options) { check_sampling(options); }

void Sampler::see_prompt(std::span<const int32_t> ids) {
  if (has_penalties())
    for (const int32_t id : ids) seen_.try_emplace(id);
}

std::span<const float> Sampler::penalised(std::span<const float> logits) {
  if (!has_penalties()) return logits;
  adjusted_.assign(logits.begin(), logits.end());
  const auto by = static_cast<float>(options_.repetition_penalty);
  for (const auto& [id, seen] : seen_) {
    if (id < 0 || static_cast<std::size_t>(id) >= adjusted_.size()) continue;
    float& v = adjusted_[static_cast<std::size_t>(id)];
    v = v > 0 ? v / by : v * by;
    if (seen.generated) v -= static_cast<float>(options_.presence_penalty);
  }
  return adjusted_;
}

int32_t Sampler::choose(std::span<const float> logits) {
  logits = penalised(logits);
  int32_t id = 0;
  if (options_.temperature == 0) {
    keep_best(logits, 1);
    id = candidates_[0].id;
  } else {
    id = drawn(logits);
  }
  ++chosen_;
  if (has_penalties()) seen_[id].generated = true;
  return id;
}

// The best `count`, in order. Few are kept of many, so most are turned away in whole blocks: ids
// ascend, and a later token must be above the worst that is kept.
void Sampler::keep_best(std::span<const float> logits, std::size_t count) {
  candidates_.clear();
  const auto worst_first = [](const Candidate& a, const Candidate& b) { return better(a, b); };
  for (std::size_t i = 0; i < logits.size(); ++i) {
    while (candidates_.size() == count && i + kBlock <= logits.size() &&
           !any_above(logits.data() + i, candidates_.front().logit))
      i += kBlock;
    if (i == logits.size()) break;
    const Candidate c{logits[i], static_cast<int32_t>(i), 0};
    if (std::isnan(c.logit) || c.logit == -std::numeric_limits<float>::infinity()) continue;
    if (candidates_.size() < count) {
      candidates_.push_back(c);
      std::ranges::push_heap(candidates_, worst_first);
    } else if (better(c, candidates_.front())) {
      std::ranges::pop_heap(candidates_, worst_first);
      candidates_.back() = c;
      std::ranges::push_heap(candidates_, worst_first);
    }
  }
  std::ranges::sort_heap(candidates_, worst_first);
  if (candidates_.empty())
    user_error("logits", fmt::format("none of the {} logits is a number", logits.size()), "",
               "a model must give every token a finite logit",
               "download the weights again; they contain NaN or infinity, or they overflow");
}

double Sampler::weight(float logit, float best) const {
  if (logit == best) return 1;  // also when both are infinite
  return std::exp((static_cast<double>(logit) - best) / options_.temperature);
}

// Every token with at least min_p of the best one's probability, in the order of ids: nothing is
// sorted when nothing asks for it.
void Sampler::keep_all(std::span<const float> logits) {
  keep_best(logits, 1);
  const float best = candidates_[0].logit;
  candidates_.clear();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i])) continue;
    const double w = weight(logits[i], best);
    if (w >= options_.min_p) candidates_.push_back({logits[i], static_cast<int32_t>(i), w});
  }
}

double Sampler::weigh_candidates() {
  double total = 0;
  const float best = candidates_[0].logit;
  for (Candidate& c : candidates_) total += c.weight = weight(c.logit, best);
  return total;
}

// Cuts the candidates behind the shortest prefix with top_p of the total. False when they do not
// suffice.
bool Sampler::cut_at_top_p(double total) {
  double sum = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    sum += candidates_[i].weight;
    if (sum >= options_.top_p * total) {
      candidates_.resize(i + 1);
      return true;
    }
  }
  return false;
}

// Without top-k the total is over all tokens, but a few dozen almost always hold top_p of it.
void Sampler::keep_top_p_of_all(std::span<const float> logits) {
  double total = 0;
  for (std::size_t count = 128;; count *= 16) {
    keep_best(logits, std::min(count, logits.size()));
    weigh_candidates();
    if (total == 0)
      for (const float v : logits)
        if (!std::isnan(v)) total += weight(v, candidates_[0].logit);
    if (cut_at_top_p(total) || count >= logits.size()) return;
  }
}

int32_t Sampler::drawn(std::span<const float> logits) {
  if (options_.top_k > 0) {
    keep_best(logits, static_cast<std::size_t>(options_.top_k));
    cut_at_top_p(weigh_candidates());
  } else if (options_.top_p < 1) {
    keep_top_p_of_all(logits);
  } else {
    keep_all(logits);
  }
  double kept = 0;
  std::size_t n = 0;  // candidates that min_p leaves; they are sorted, or it has been applied
  for (; n < candidates_.size() && (n == 0 || candidates_[n].weight >= options_.min_p); ++n)
    kept += candidates_[n].weight;
  const uint64_t stream = Rng(options_.seed).next() + options_.drawn + chosen_;
  double left = Rng(stream).uniform() * kept;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    left -= candidates_[i].weight;
    if (left < 0) return candidates_[i].id;
  }
  return candidates_[n - 1].id;
}

}  // namespace tilewright::tokens
