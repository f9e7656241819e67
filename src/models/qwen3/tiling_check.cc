// Which keys must divide which sizes. Builders ask for exact quotients too; here the message can
// name the key and the values that work.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/models/qwen3/tiling.h"

namespace tilewright::models::qwen3 {
namespace {

// "32 or 64": the divisors of `total` next to `part`.
std::string working_values(int64_t total, int64_t part) {
  int64_t below = std::clamp<int64_t>(part, 1, total);
  while (total % below != 0) --below;
  int64_t above = part + 1;
  while (above < total && total % above != 0) ++above;
  return above <= total ? fmt::format("{} or {}", below, above) : fmt::format("{}", below);
}

struct Check {
  const TilingSpec& spec;
  const Choice& c;

  void divides(unsigned groups, const char* key, int64_t part, const std::string& what,
               int64_t total) const {
    if (!(groups & spec.groups) || total % part == 0) return;
    user_error("exact-div",
               fmt::format("{}={} does not divide {}, which is {}: {} left over", key, part, what,
                           total, total % part),
               fmt::format("in key {}, shape {}", key, c.model.name),
               "a block count must divide exactly; a remainder would be dropped silently",
               fmt::format("{}={} works", key, working_values(total, part)));
  }
};

void require_experts(const TilingSpec& spec, const Choice& c) {
  const ModelConfig& s = c.model;
  if (!(spec.groups & kExpertKeys) || s.experts_per_token <= s.experts) return;
  user_error("shape",
             fmt::format("{} experts of a row, but the layer has {}", s.experts_per_token,
                         s.experts),
             fmt::format("in key experts_per_token, shape {}", s.name),
             "a row has each of its experts once",
             fmt::format("experts_per_token={} works", s.experts));
}

}  // namespace

void require_fitting(const TilingSpec& spec, const Choice& c) {
  const ModelConfig& s = c.model;
  const Tiling& t = c.tiling;
  const Check check{spec, c};
  check.divides(kContext | kProjTiles, "kv_heads", s.kv_heads, "the number of Q heads", s.heads);
  check.divides(kNormKeys, "norm_k", t.norm_k, "hidden", s.hidden);
  check.divides(kProjTiles, "proj_k", t.proj_k, "hidden", s.hidden);
  check.divides(kProjTiles, "q_n", t.q_n, "the Q width", s.q_width());
  check.divides(kProjTiles, "kv_n", t.kv_n, "the KV width", s.kv_width());
  if (t.k_splits != 0)
    check.divides(kSplitKeys, "k_splits", t.k_splits, "the number of reduction tiles",
                  s.hidden / t.proj_k);
  const int64_t per_kv = s.heads / s.kv_heads;
  const int64_t q_rows = std::min(t.q_head_batch, per_kv);
  check.divides(kGroupKeys, "q_head_batch", q_rows, "the number of Q heads per KV head", per_kv);
  check.divides(kGroupBatch, "group_batch", t.group_batch, "the number of groups",
                s.heads / q_rows);
  check.divides(kOutKeys, "o_k", t.o_k, "the Q width", s.q_width());
  check.divides(kOutKeys, "o_n", t.o_n, "hidden", s.hidden);
  check.divides(kMlpKeys, "mlp_k", t.mlp_k, "hidden", s.hidden);
  check.divides(kMlpKeys, "mlp_n", t.mlp_n, "the MLP width", s.intermediate);
  check.divides(kOutForms | kExpertKeys, "down_k", t.down_k, "the MLP width", s.intermediate);
  check.divides(kMlpKeys, "down_n", t.down_n, "hidden", s.hidden);
  check.divides(kQuantKeys, "attn_quant_k", t.attn_quant_k, "the Q width", s.q_width());
  check.divides(kQuantKeys, "mlp_quant_k", t.mlp_quant_k, "the MLP width", s.intermediate);
  require_experts(spec, c);
  check.divides(kLmKeys, "lm_k", t.lm_k, "hidden", s.hidden);
  check.divides(kLmKeys, "lm_n", t.lm_n, "the vocabulary", s.vocab);
}

}  // namespace tilewright::models::qwen3
