// The sampler that chooses the next token. Each sequence has its own; its random numbers depend
// only on the seed and on the number of tokens chosen so far, not on threads or on other
// sequences.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tilewright::tokens {

// Applied in this order, each to what the one before left.
struct SamplingOptions {
  double repetition_penalty =
      1;                        // logits of tokens seen anywhere: divided, or multiplied if below 0
  double presence_penalty = 0;  // taken from the logits of tokens that were generated
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
  // Of equal logits the lowest id comes first. Throws UserError when no logit is a number.
  int32_t choose(std::span<const float> logits);

 private:
  struct Candidate {
    float logit = 0;
    int32_t id = 0;
    double weight = 0;  // probability over that of the best
  };
  static bool better(const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  }

  bool has_penalties() const {
    return options_.repetition_penalty != 1 || options_.presence_penalty != 0;
  }
  std::span<const float> penalised(std::span<const float> logits);
  int32_t drawn(std::span<const float> logits);
  void keep_best(std::span<const float> logits, std::size_t count);
  void keep_all(std::span<const float> logits);
  void keep_top_p_of_all(std::span<const float> logits);
  double weigh_candidates();  // gives their sum
  bool cut_at_top_p(double total);
  double weight(float logit, float best) const;

  struct Seen {
    bool generated = false;
  };
  SamplingOptions options_;
  uint64_t chosen_ = 0;
  std::unordered_map<int32_t, Seen> seen_;
  std::vector<float> adjusted_;        // logits with penalties
  std::vector<Candidate> candidates_;  // what is left to choose from
};

}  // namespace tilewright::tokens
