#include "tilewright/runtime/perplexity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tilewright/base/check.h"

namespace tilewright::runtime {
namespace {

// Rows of a step: their logits are all held at once.
constexpr int64_t kRows = 64;

// Sums over the tokens so far.
class Sums {
 public:
  void add(double nll) {
    ++count_;
    sum_ += nll;
    squares_ += nll * nll;
  }
  Perplexity result(int64_t chunks) const {
    Perplexity p{.tokens = count_, .chunks = chunks};
    if (count_ == 0) return p;
    const auto n = static_cast<double>(count_);
    const double mean = sum_ / n;
    p.value = std::exp(mean);
    const double variance = squares_ / n - mean * mean;
    if (count_ > 1 && variance > 0) p.error = p.value * std::sqrt(variance / (n - 1));
    return p;
  }

 private:
  int64_t count_ = 0;
  double sum_ = 0, squares_ = 0;
};

// Reads a chunk in a slot of its own; adds the tokens of its second half.
void add_chunk(Engine& engine, std::span<const int32_t> tokens, std::optional<int32_t> begin,
               Sums& sums) {
  const int slot = engine.open_slot();
  const auto count = static_cast<int64_t>(tokens.size());
  const int64_t most = std::min(kRows, engine.chunk());
  std::vector<Row> rows;
  for (int64_t at = 0; at + 1 < count; at += most) {
    const int64_t end = std::min(at + most, count - 1);
    rows.clear();
    for (int64_t i = at; i < end; ++i) {
      const int32_t token = i == 0 && begin ? *begin : tokens[static_cast<std::size_t>(i)];
      rows.push_back({slot, token, i >= count / 2});
    }
    int64_t next = std::max(at, count / 2) + 1;
    for (const auto& logits : engine.step(rows))
      sums.add(negative_log_probability(logits, tokens[static_cast<std::size_t>(next++)]));
  }
  engine.close_slot(slot);
}

}  // namespace

double negative_log_probability(std::span<const float> logits, int32_t token) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - largest);
  return std::log(sum) - (logits[static_cast<std::size_t>(token)] - largest);
}

Perplexity perplexity(Engine& engine, std::span<const int32_t> tokens,
                      const PerplexityOptions& options, const std::atomic<bool>* stop) {
  const auto all = static_cast<int64_t>(tokens.size());
  const int64_t length = std::min(options.context, all);
  check(length >= 4 && length <= engine.context(), "a chunk that cannot be read");
  const int64_t chunks = all / length;
  Sums sums;
  for (int64_t i = 0; i < chunks; ++i) {
    if (stop && *stop) {
      Perplexity p = sums.result(i);
      p.interrupted = true;
      return p;
    }
    add_chunk(engine,
              tokens.subspan(static_cast<std::size_t>(i * length),
                             static_cast<std::size_t>(length)),
              options.begin, sums);
    if (options.progress)
      options.progress(sums.result(i + 1),
                       static_cast<double>(i + 1) / static_cast<double>(chunks));
  }
  return sums.result(chunks);
}

}  // namespace tilewright::runtime
