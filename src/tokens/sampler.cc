#include "tilewright/tokens/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/rng.h"
#include "tilewright/tokens/quick_total.h"

namespace tilewright::tokens {
namespace {

void check_range(std::string_view name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  user_error("sampling", fmt::format("{} = {} is not between {} and {}", name, value, low, high),
             "", "every sampling setting has a valid range", "omit the flag to use its default");
}

constexpr float kNever = -std::numeric_limits<float>::infinity();

}  // namespace

void check_sampling(const SamplingOptions& o) {
  check_range("temperature", o.temperature, 0, 100);
  check_range("top-k", static_cast<double>(o.top_k), 0, 1e9);
  check_range("top-p", o.top_p, 0, 1);
  check_range("min-p", o.min_p, 0, 1);
  check_range("repetition penalty", o.repetition_penalty, 0.01, 100);
  check_range("presence penalty", o.presence_penalty, -100, 100);
  check_range("frequency penalty", o.frequency_penalty, -100, 100);
  for (const auto& [id, bias] : o.logit_bias)
    check_range(fmt::format("bias of token {}", id), bias, -100, 100);
}

Sampler::Sampler(const SamplingOptions& options) : options_(options) { check_sampling(options); }

void Sampler::see_prompt(std::span<const int32_t> ids) {
  if (has_penalties())
    for (const int32_t id : ids) seen_.try_emplace(id);
}

std::span<const float> Sampler::adjusted(std::span<const float> logits, const TokenSet* allowed) {
  if (options_.logit_bias.empty() && !has_penalties() && !allowed) return logits;
  adjusted_.assign(logits.begin(), logits.end());
  const auto logit_of = [&](int32_t id) -> float* {
    const auto i = static_cast<std::size_t>(id);
    return id >= 0 && i < adjusted_.size() ? &adjusted_[i] : nullptr;
  };
  for (const auto& [id, bias] : options_.logit_bias)
    if (float* v = logit_of(id)) *v += static_cast<float>(bias);
  if (has_penalties())
    for (const auto& [id, times] : seen_)
      if (float* v = logit_of(id)) *v = penalised(*v, times);
  if (allowed)
    for (std::size_t i = 0; i < adjusted_.size(); ++i)
      if (!allowed->contains(static_cast<int32_t>(i))) adjusted_[i] = kNever;
  return adjusted_;
}

float Sampler::penalised(float logit, int64_t times) const {
  const auto by = static_cast<float>(options_.repetition_penalty);
  logit = logit > 0 ? logit / by : logit * by;
  if (times == 0) return logit;
  logit -= static_cast<float>(options_.presence_penalty);
  return logit - static_cast<float>(options_.frequency_penalty * static_cast<double>(times));
}

int32_t Sampler::choose(std::span<const float> logits, const TokenSet* allowed) {
  logits = adjusted(logits, allowed);
  int32_t id = 0;
  if (options_.temperature == 0) {
    keep_best(logits, 1);
    id = candidates_[0].id;
  } else {
    id = drawn(logits);
  }
  ++chosen_;
  if (has_penalties()) ++seen_[id];
  return id;
}

void Sampler::keep_best(std::span<const float> logits, std::size_t count) {
  tokens::keep_best(logits, count, candidates_);
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
    if (w > 0 && w >= options_.min_p)
      candidates_.push_back({logits[i], static_cast<int32_t>(i), w});
  }
}

double Sampler::weigh_candidates() {
  double total = 0;
  const float best = candidates_[0].logit;
  for (Candidate& c : candidates_) total += c.weight = weight(c.logit, best);
  return total;
}

// Cuts the candidates behind the shortest prefix with top_p of the total, which is known to within
// `error` of it. TooFew when they do not suffice.
Sampler::Cut Sampler::cut_at_top_p(double total, double error) {
  const double least = options_.top_p * total * (1 - error);
  const double most = options_.top_p * total * (1 + error);
  double sum = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    sum += candidates_[i].weight;
    if (sum >= most) {
      candidates_.resize(i + 1);
      return Cut::Done;
    }
    if (sum >= least) return Cut::Unclear;
  }
  return Cut::TooFew;
}

// Without top-k the total is over all tokens, but a few dozen almost always hold top_p of it, and
// it hardly ever matters what it is exactly.
void Sampler::keep_top_p_of_all(std::span<const float> logits) {
  double total = 0, error = kQuickError;
  for (std::size_t count = 128;; count *= 16) {
    keep_best(logits, std::min(count, logits.size()));
    weigh_candidates();
    const float best = candidates_[0].logit;
    if (total == 0) total = quick_total(logits, best, options_.temperature);
    Cut cut = total > 0 ? cut_at_top_p(total, error) : Cut::Unclear;
    if (cut == Cut::Unclear) {
      total = error = 0;
      for (const float v : logits)
        if (!std::isnan(v)) total += weight(v, best);
      cut = cut_at_top_p(total, error);
    }
    if (cut == Cut::Done || count >= logits.size()) return;
  }
}

int32_t Sampler::drawn(std::span<const float> logits) {
  if (options_.top_k > 0) {
    keep_best(logits, static_cast<std::size_t>(options_.top_k));
    cut_at_top_p(weigh_candidates(), 0);
  } else if (options_.top_p < 1) {
    keep_top_p_of_all(logits);
  } else {
    keep_all(logits);
  }
  double kept = 0;
  std::size_t n = 0;  // candidates that min_p leaves; they are sorted, or it has been applied
  // One whose weight is 0 must not be the last, which takes what rounding leaves of the number.
  const auto stays = [&](const Candidate& c) { return c.weight > 0 && c.weight >= options_.min_p; };
  for (; n < candidates_.size() && (n == 0 || stays(candidates_[n])); ++n)
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
