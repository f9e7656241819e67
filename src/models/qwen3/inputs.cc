#include "tilewright/models/qwen3/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/diagnostic.h"
#include "tilewright/programs/quantise.h"

namespace tilewright::models::qwen3 {
namespace {

using catalog::Init;
using catalog::uniform;

// Uniform weights whose product with rows of unit RMS has a standard deviation of spread / sqrt(3).
Init weights(double spread, int64_t depth) {
  const double a = spread / std::sqrt(static_cast<double>(depth));
  return uniform(-a, a);
}

Init gamma() { return uniform(0.5, 1.5); }

// cos or sin of position * theta^(-2i/D), the same in both halves.
Init rope_table(double theta, bool sine) {
  return [theta, sine](HostArray& table, Rng&) {
    const int64_t d = table.shape()[1];
    const int64_t half = d / 2;
    for (int64_t i = 0; i < half; ++i) {
      const double frequency =
          std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(d));
      for (int64_t position = 0; position < table.shape()[0]; ++position) {
        const double angle = static_cast<double>(position) * frequency;
        const double value = sine ? std::sin(angle) : std::cos(angle);
        table.set(position * d + i, value);
        table.set(position * d + half + i, value);
      }
    }
  };
}

// Around every edge a block has, then the longest, then random ones.
Init mixed_lengths(int64_t max_seq, int64_t seq_tile) {
  return [max_seq, seq_tile](HostArray& lengths, Rng& rng) {
    const int64_t edges[] = {1, seq_tile - 1, seq_tile, seq_tile + 1, max_seq};
    for (int64_t b = 0; b < lengths.size(); ++b) {
      const int64_t n = b < 5 ? edges[b] : rng.integer(1, max_seq + 1);
      lengths.set(b, static_cast<double>(std::clamp<int64_t>(n, 1, max_seq)));
    }
  };
}

// Q and K heads of standard deviation 1.8, so that scores / sqrt(D) have one of 3.2 and a softmax
// over thousands of positions is carried by a few.
constexpr double kPeaked = 3.1;

void add_context(Inits& in, const Choice& c, double value_range) {
  const Tiling& t = c.tiling;
  in["seq_lens"] = t.ctx > 0 ? catalog::constant(static_cast<double>(t.ctx))
                             : mixed_lengths(t.max_seq, t.seq_tile);
  in["rope_cos"] = rope_table(c.model.rope_theta, false);
  in["rope_sin"] = rope_table(c.model.rope_theta, true);
  if (c.qk_norm) {
    in["q_norm_weight"] = uniform(1.2, 2.4);
    in["k_norm_weight"] = uniform(1.2, 2.4);
  }
  in["k_cache"] = uniform(-kPeaked, kPeaked);
  in["v_cache"] = uniform(-value_range, value_range);
}

// A weight of `spread`; in INT8, scales that differ by a factor of three between columns.
void add_weight(Inits& in, const Choice& c, const std::string& name, double spread, int64_t depth) {
  if (!c.a8w8) {
    in[name] = weights(spread, depth);
    return;
  }
  const double scale = spread / std::sqrt(static_cast<double>(depth)) / programs::kLargestCode;
  in[name] = catalog::integers(-127, 128);
  in[name + "_scale"] = uniform(0.5 * scale, 1.5 * scale);
}

void add_projection(Inits& in, const Choice& c, double qk_spread, double v_spread) {
  in["hidden_states"] = uniform(-0.4, 0.4);
  in["input_rms_weight"] = gamma();
  add_weight(in, c, "wq", qk_spread, c.model.hidden);
  add_weight(in, c, "wk", qk_spread, c.model.hidden);
  add_weight(in, c, "wv", v_spread, c.model.hidden);
}

// Both branches add about 0.06 RMS to a residual within 0.4: far above the tolerance, and small
// enough that |out| < 1, where one BF16 step is within it.
void add_mlp(Inits& in, const Choice& c) {
  const ModelConfig& s = c.model;
  in["hidden_states"] = uniform(-0.4, 0.4);
  add_weight(in, c, "wo", 0.5, s.q_width());
  in["post_rms_weight"] = gamma();
  add_weight(in, c, "w_gate", 2.5, s.hidden);
  add_weight(in, c, "w_up", 1.7, s.hidden);
  add_weight(in, c, "w_down", 0.115, s.intermediate);
}

}  // namespace

Inits scope1_inputs(const Choice& c) {
  Inits in;
  add_projection(in, c, 0.5, 0.5);
  return in;
}

Inits scope2_inputs(const Choice& c) {
  Inits in;
  in["q_proj"] = uniform(-kPeaked, kPeaked);
  in["k_proj"] = uniform(-kPeaked, kPeaked);
  // Below 0.25, where one BF16 step is within the tolerance of attn_out.
  in["v_proj"] = uniform(-0.2, 0.2);
  add_context(in, c, 0.2);
  return in;
}

Inits scope12_inputs(const Choice& c) {
  Inits in;
  add_projection(in, c, 3.0, 0.08);
  add_context(in, c, 0.2);
  return in;
}

Inits scope3_inputs(const Choice& c) {
  Inits in;
  add_mlp(in, c);
  in["attn_out"] = uniform(-0.4, 0.4);
  return in;
}

Inits decode_inputs(const Choice& c) {
  Inits in;
  add_projection(in, c, 3.0, 0.5);
  add_context(in, c, 0.5);
  add_mlp(in, c);
  return in;
}

Inits lm_head_inputs(const Choice& c) {
  Inits in;
  in["hidden_states"] = uniform(-0.5, 0.5);
  in["final_rms_weight"] = gamma();
  in["w_lm"] = weights(1.7, c.model.hidden);
  return in;
}

Inits embed_inputs(const Choice& c) {
  Inits in;
  in["token_ids"] = catalog::integers(0, c.model.vocab);
  in["w_embed"] = uniform(-0.1, 0.1);
  return in;
}

void validate_lengths(const Choice& c, const std::string& program, const catalog::Arrays& io) {
  const HostArray& lengths = io["seq_lens"];
  for (int64_t b = 0; b < lengths.size(); ++b) {
    const auto n = static_cast<int64_t>(lengths.at(b));
    if (n >= 1 && n <= c.tiling.max_seq) continue;
    user_error("seq-lens",
               fmt::format("seq_lens[{}] = {}, but max_seq is {}", b, n, c.tiling.max_seq),
               fmt::format("in input seq_lens, batch row {}, program {}", b, program),
               "a context length includes the new token and must be between 1 and max_seq",
               "correct the row, or raise max_seq");
  }
}

void validate_tokens(const Choice& c, const std::string& program, const catalog::Arrays& io) {
  const HostArray& ids = io["token_ids"];
  for (int64_t b = 0; b < ids.size(); ++b) {
    const auto id = static_cast<int64_t>(ids.at(b));
    if (id >= 0 && id < c.model.vocab) continue;
    user_error("token",
               fmt::format("token_ids[{}] = {}, but the vocabulary has {} entries", b, id,
                           c.model.vocab),
               fmt::format("in input token_ids, batch row {}, program {}", b, program),
               "a token id must be a row of the embedding table", "correct the row");
  }
}

}  // namespace tilewright::models::qwen3
