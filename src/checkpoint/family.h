// What is known of every family of models that can be run, and of the tensors of a model: two
// tables, from which readers, writers and the step's programs take all they need.
//
// Another family is a row in kFamilies (family.cc) and its enumerator. If its layer has tensors
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
  std::string_view name;        // model_type in config.json
  std::string_view gguf;        // general.architecture in a GGUF file; the first family that has it
  std::string_view class_name;  // in front of ForCausalLM in config.json
  bool qk_norm = false;         // q and k are normalised per head before RoPE
  bool qkv_bias = false;        // q, k and v have biases
  bool experts = false;         // the MLP of every layer is a choice of experts
  bool dense = true;            // ... or it is not
  bool gguf_interleaves = false;  // GGUF files interleave the two halves of the heads of q and k
  bool windows_unless_null = false;  // sliding_window is in force when config.json states it
};

std::span<const FamilyRow> families();
const FamilyRow& family_row(Family f);

// A tensor of every layer.
struct LayerTensor {
  std::string_view role;      // what the programs of the step call it
  std::string_view hf, gguf;  // behind "model.layers.7." and "blk.7."; {} is the number of an expert
  TensorView LayerWeights::*member;
  // As the programs have it. The matrices of all experts stand one below the other: GGUF files have
  // them in one tensor of three dimensions, Hugging Face files in a tensor each.
  Shape (*shape)(const ModelConfig&);
  bool FamilyRow::*needs = nullptr;  // only in families with this trait
  bool of_experts = false;
  bool in_f32 = false;  // held in FP32 and never quantised, as vectors are

  bool is_in(const ModelConfig& c) const { return !needs || family_row(c.family).*needs; }
};

// The shape in a file: of the matrix of one expert, or of all of them in three dimensions.
Shape stored_shape(const LayerTensor& t, const ModelConfig& c, Naming naming);

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

// The name that a file of this kind gives it; for tensors that stand for one expert, of that one.
std::string tensor_name(const LayerTensor& t, int64_t layer, Naming naming, int64_t expert = 0);
std::string tensor_name(const EndTensor& t, Naming naming);

}  // namespace tilewright::checkpoint
