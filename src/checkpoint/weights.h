// The weights of a model by what they are for, whatever the file calls them.
#pragma once

#include <string>
#include <vector>

#include "tilewright/checkpoint/config.h"
#include "tilewright/checkpoint/tensor_view.h"

namespace tilewright::checkpoint {

// Shapes as in the files, [out, in]. H hidden, Q = heads * D, KV = kv_heads * D, I intermediate.
// Tensors that the family does not have are without a name.
struct LayerWeights {
  TensorView input_norm;              // [H]
  TensorView q, k, v;                 // [Q, H], [KV, H], [KV, H]
  TensorView q_bias, k_bias, v_bias;  // [Q], [KV], [KV]
  TensorView q_norm, k_norm;          // [D]
  TensorView o;                       // [H, Q]
  TensorView post_norm;               // [H]
  TensorView router;                  // [E, H]
  TensorView gate, up;                // [I, H], or those of all experts below each other, [E * I, H]
  TensorView down;                    // [H, I], or [E * H, I]
};

struct Weights {
  TensorView embedding;  // [V, H]
  std::vector<LayerWeights> layers;
  TensorView final_norm;  // [H]
  TensorView lm_head;     // [V, H]; the embedding when they are tied
};

enum class Naming : uint8_t { HuggingFace, Gguf };

struct ExpectedTensor {
  std::string name;
  Shape shape;
};

// Every tensor of a file of this model, in the order of the layers.
std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config, Naming naming);

// Throws UserError naming the tensor that is missing, unexpected or of another shape.
Weights bind_weights(const ModelConfig& config, Naming naming, std::vector<TensorView> tensors,
                     const std::string& origin);

}  // namespace tilewright::checkpoint
