// The one description of a model: what config.json or a GGUF file's keys say, or a row of a table of
// named models. Checkpoints, the programs of Qwen3 and those of the step are all made from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/checkpoint/gguf.h"
#include "tilewright/checkpoint/rope_scaling.h"

namespace tilewright::checkpoint {

// What a family is stands in family.h.
enum class Family : uint8_t { Qwen3, Llama, Qwen2, Mistral, Qwen3Moe };

std::string_view family_name(Family f);  // as model_type spells it

struct ModelConfig {
  std::string name;  // what it is called: a name of its own, or where its files lie
  Family family = Family::Qwen3;
  int64_t hidden = 0;
  int64_t layers = 0;
  int64_t heads = 0;  // Q heads
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  int64_t intermediate = 0;  // inner width of the MLP; of one expert where there are experts
  int64_t vocab = 0;
  int64_t max_positions = 0;
  double rms_norm_eps = 0;
  double rope_theta = 0;
  RopeScaling rope;   // how the angles differ from position * theta^(-2i/D)
  bool tied = false;  // the LM head is the embedding
  // Experts of a layer, those of a token, and whether the weights of the chosen ones are made to
  // add up to one. No experts: the MLP is dense.
  int64_t experts = 0, experts_per_token = 0;
  bool renormalises = true;

  bool qk_norm() const;  // q and k are normalised per head before RoPE
  bool has_experts() const { return experts > 0; }
  int64_t q_width() const { return heads * head_dim; }  // not `hidden`
  int64_t kv_width() const { return kv_heads * head_dim; }
};

// Both throw UserError: a field that is missing or absurd, or a model that is not supported, by
// name.
ModelConfig config_from_json(std::string_view text, const std::string& origin);
ModelConfig config_from_gguf(const GgufFile& file, const std::string& origin);

// config.json of this model, for checkpoints that are written here.
std::string config_to_json(const ModelConfig& config, std::string_view torch_dtype,
                           const std::vector<int64_t>& stop_ids);

}  // namespace tilewright::checkpoint
