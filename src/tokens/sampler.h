// The sampler that chooses the next token. Each sequence has its own; its random numbers depend
// only on the seed and on the number of tokens chosen so far, not on threads or on other
// sequences.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "tilewright/tokens/candidates.h"
#include "tilewright/tokens/constraint.h"

namespace tilewright::tokens {

// Applied in this order, each to what the one before left.
struct SamplingOptions {
  std::map<int32_t, double> logit_bias = {};  // added to the logits of these tokens
  double repetition_penalty =
      1;                        // logits of tokens seen anywhere: divided, or multiplied if below 0
  double presence_penalty = 0;  // taken from the logits of tokens that were generated
  double frequency_penalty = 0;  // the same, once for each time a token was generated
  // Here tokens that a constraint does not allow are left out.
  double temperature = 0;       // 0 takes the best token, always
  int64_t top_k = 0;            // the best so many; 0 = all
  double top_p = 1;             // the fewest best that together have this probability
  double min_p = 0;             // those with at least this share of the best one's probability
  uint64_t seed = 0;
  uint64_t drawn = 0;  // random numbers of this seed that were used before
};

// Throws UserError for values without a meaning.
void check_sampling(const SamplingOptions& options);

class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options);

  void see_prompt(std::span<const int32_t> ids);
  // One of `allowed`, if it is given. Of equal logits the lowest id comes first. Throws UserError
  // when no logit is a number.
  int32_t choose(std::span<const float> logits, const TokenSet* allowed = nullptr);

 private:
  bool has_penalties() const {
    return options_.repetition_penalty != 1 || options_.presence_penalty != 0 ||
           options_.frequency_penalty != 0;
  }
  std::span<const float> adjusted(std::span<const float> logits, const TokenSet* allowed);
  float penalised(float logit, int64_t times) const;
  int32_t drawn(std::span<const float> logits);
  void keep_best(std::span<const float> logits, std::size_t count);
  void keep_all(std::span<const float> logits);
  void keep_top_p_of_all(std::span<const float> logits);
  double weigh_candidates();  // gives their sum
  enum class Cut : uint8_t { Done, TooFew, Unclear };
  Cut cut_at_top_p(double total, double error);
  double weight(float logit, float best) const;

  SamplingOptions options_;
  uint64_t chosen_ = 0;
  std::unordered_map<int32_t, int64_t> seen_;  // how often each was generated; 0 in the prompt only
  std::vector<float> adjusted_;                // logits with bias and penalties
  std::vector<Candidate> candidates_;  // what is left to choose from
};

}  // namespace tilewright::tokens
