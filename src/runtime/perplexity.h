// The perplexity of a text: exp of the mean of -log p over its tokens, where p is the probability
// that the model gave to the token that came. What quantisation costs is a ratio of two of these.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "tilewright/runtime/engine.h"

namespace tilewright::runtime {

struct Perplexity {
  double value = 0;
  double error = 0;  // one standard error of the value
  int64_t tokens = 0;
  int64_t chunks = 0;
  bool interrupted = false;
};

struct PerplexityOptions {
  int64_t context = 512;              // tokens of a chunk
  std::optional<int32_t> begin = {};  // a token that stands for the first one of every chunk
  std::function<void(const Perplexity&, double)> progress = {};  // so far, and the share done
};

// The text is cut into chunks of `context` tokens, and the model reads each on its own. Tokens of
// the second half of a chunk count: they have at least half a chunk before them. What is left over
// is not read; a text shorter than a chunk is one. At least four tokens.
Perplexity perplexity(Engine& engine, std::span<const int32_t> tokens,
                      const PerplexityOptions& options, const std::atomic<bool>* stop = nullptr);

// -log of the probability of a token, from logits.
double negative_log_probability(std::span<const float> logits, int32_t token);

}  // namespace tilewright::runtime
