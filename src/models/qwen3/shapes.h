// The models that have a name: the Qwen3 configurations that the programs are built for, and models of
// every family for `make-model` and `sim --shape`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/checkpoint/config.h"

namespace tilewright::models::qwen3 {

using checkpoint::ModelConfig;

const std::vector<ModelConfig>& named_models();
// Throws UserError with the nearest name.
const ModelConfig& find_model(std::string_view name);
// The model that a program of either kind means by a name: every program has a shape `tiny`.
const ModelConfig& find_layer(std::string_view name, bool experts);
// Whether a layer is what the programs of qwen3/ compute: a dense MLP, no biases, plain RoPE.
bool has_qwen3_layer(const ModelConfig& model);
// The names of models whose layers are of the same kind, experts or not, `first` in front: the default
// of a program.
std::vector<std::string> model_names(std::string_view first);

// Cache rows per (batch row, KV head) of the decode programs, unless a key says otherwise.
int64_t default_cache_rows(const ModelConfig& model);

}  // namespace tilewright::models::qwen3
