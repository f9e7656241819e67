// What is known of every family of models that can be run, and of the tensors of a model: two
// tables, from which readers, writers and the step's programs take all they need.
//
// A third family is a row in kFamilies (family.cc) and its enumerator. If its layer has tensors
// that no other has, they are members of LayerWeights and rows in kLayer, each with the trait of the
// families that have it; and the layer of models/transformer/step_program.cc and the equations of
// models/transformer/reference.cc say what is done with them. Nothing else asks for a family.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tilewright/checkpoint/weights.h"

namespace tilewright::checkpoint {

struct FamilyRow {
  Family family;
  std::string_view name;        // model_type in config.json, general.architecture in a GGUF file
  std::string_view class_name;  // in front of ForCausalLM in config.json
  bool qk_norm;                 // q and k are normalised per head before RoPE
  bool gguf_interleaves;  // GGUF files keep the two halves of the heads of q and k interleaved
};

std::span<const FamilyRow> families();
const FamilyRow& family_row(Family f);

// A tensor of every layer.
struct LayerTensor {
  std::string_view role;      // what the programs of the step call it
  std::string_view hf, gguf;  // behind "model.layers.7." and "blk.7."
  TensorView LayerWeights::*member;
  Shape (*shape)(const ModelConfig&);
  bool FamilyRow::*needs = nullptr;  // only in families with this trait

  bool is_in(const ModelConfig& c) const { return !needs || family_row(c.family).*needs; }
};

// A tensor that a model has once.
struct EndTensor {
  std::string_view role, hf, gguf;
  TensorView Weights::*member;
  Shape (*shape)(const ModelConfig&);
};

std::span<const LayerTensor> layer_tensors();
const EndTensor& embedding_tensor();
const EndTensor& final_norm_tensor();
const EndTensor& lm_head_tensor();  // absent from files whose embeddings are tied

// The name that a file of this kind gives it.
std::string tensor_name(const LayerTensor& t, int64_t layer, Naming naming);
std::string tensor_name(const EndTensor& t, Naming naming);

}  // namespace tilewright::checkpoint
