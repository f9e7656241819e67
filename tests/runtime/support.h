// Engines of small synthetic models.
#pragma once

#include <cmath>

#include "../transformer/support.h"
#include "tilewright/runtime/engine.h"
#include "tilewright/runtime/generator.h"

namespace runtime_test {

using namespace tilewright;
using models::transformer::Reference;
using models::transformer::SyntheticModel;
using models::transformer::Vector;
using runtime::Answer;
using runtime::Ended;
using runtime::Engine;
using runtime::EngineOptions;
using runtime::Request;
using runtime::Row;
using transformer_test::best;
using transformer_test::Checkpoint;
using transformer_test::Family;
using transformer_test::Ids;
using transformer_test::kModels;
using transformer_test::ModelConfig;
using Logits = std::vector<float>;

// Pages, splits and chunks far smaller than in earnest, so that short texts cross many of them.
inline EngineOptions small_options(int threads = 2) {
  return {.threads = threads, .context = 200, .slots = 4, .chunk = 48, .page = 16, .split = 32};
}

// The one that engines use, and the fastest that adds in ascending k: two where there is AMX.
inline std::vector<cpu::InstructionSet> instruction_sets() {
  std::vector<cpu::InstructionSet> out{cpu::InstructionSet::fastest()};
  if (!out.front().adds_in_ascending_k()) out.push_back(cpu::InstructionSet::exact());
  return out;
}

// A second shape: other widths, and a vocabulary that no tile divides.
inline ModelConfig wide_config(Family family, bool tied, int64_t heads, int64_t kv_heads) {
  ModelConfig c = transformer_test::small_config(family, tied, heads, kv_heads);
  c.hidden = 160;
  c.head_dim = 32;
  c.intermediate = 224;
  c.vocab = 517;
  c.layers = 2;
  if (c.has_experts()) {
    c.experts = 40;
    c.experts_per_token = 4;
    c.intermediate = 64;
    c.renormalises = false;
  }
  return c;
}

// Tokens that repeat now and then, so that attention has something to find.
inline Ids some_tokens(int64_t count, int64_t vocab, int64_t seed = 1) {
  Ids out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<int32_t>((i * i * 31 + seed * 97 + i % 7) % vocab));
  return out;
}

inline std::vector<Row> rows_of(int slot, std::span<const int32_t> tokens, bool all_logits) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    rows.push_back({slot, tokens[i], all_logits || i + 1 == tokens.size()});
  return rows;
}

inline Logits copied(std::span<const float> x) { return {x.begin(), x.end()}; }

// The logits of every token, the text read in pieces of these sizes (the last one repeated).
inline std::vector<Logits> read_in_pieces(Engine& engine, int slot, const Ids& tokens,
                                          const std::vector<std::size_t>& sizes) {
  std::vector<Logits> out;
  std::size_t at = 0;
  for (std::size_t piece = 0; at < tokens.size(); ++piece) {
    const std::size_t size = std::min(sizes[std::min(piece, sizes.size() - 1)], tokens.size() - at);
    for (const auto& row : engine.step(rows_of(slot, {tokens.data() + at, size}, true)))
      out.push_back(copied(row));
    at += size;
  }
  return out;
}

// Relative L2 distance of all logits seen, and of the worst row.
class Distance {
 public:
  void add(std::span<const float> found, const Vector& expected) {
    double error = 0, size = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double difference = static_cast<double>(found[i]) - expected[i];
      error += difference * difference;
      size += expected[i] * expected[i];
    }
    error_ += error;
    size_ += size;
    worst_ = std::max(worst_, std::sqrt(error / size));
  }
  double all() const { return std::sqrt(error_ / size_); }
  double worst() const { return worst_; }

 private:
  double error_ = 0, size_ = 0, worst_ = 0;
};

inline int32_t best_of(std::span<const float> logits) {
  return static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
}

inline Request request_of(Ids prompt, int64_t count, const tokens::SamplingOptions& sampling = {}) {
  Request r;
  r.prompt = std::move(prompt);
  r.max_tokens = count;
  r.sampling = sampling;
  return r;
}

}  // namespace runtime_test
