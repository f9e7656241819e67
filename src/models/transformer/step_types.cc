#include "tilewright/models/transformer/step_types.h"

#include <algorithm>

#include "tilewright/checkpoint/family.h"

namespace tilewright::models::transformer {
namespace {

using checkpoint::TensorView;

template <class Predicate>
bool any_matrix(const checkpoint::Checkpoint& model, const Predicate& predicate) {
  bool any = false;
  model.for_each_weight(
      [&](const TensorView& t) { any = any || (t.shape.size() == 2 && predicate(t.type)); });
  return any;
}

bool is_bf16(DType t) { return t == DType::BF16; }
bool is_f16(DType t) { return t == DType::F16; }

// BF16 would lose what the other types of a file keep, so rows are FP32 beside them. Caches are as
// exact as the least exact matrix.
StepTypes without_weights(const checkpoint::Checkpoint& model) {
  const bool encoded = any_matrix(model, is_encoded);
  const bool bf16 = any_matrix(model, is_bf16);
  const bool only_bf16 = bf16 && !encoded && !any_matrix(model, is_f16);
  return {encoded || bf16 ? DType::BF16 : DType::F32, only_bf16 ? DType::BF16 : DType::F32, {}};
}

void add(StepTypes& types, std::string_view role, const TensorView& t) {
  const bool held = types.activations == DType::F32 && t.type != DType::F32;
  if (t.shape.size() == 2 && held) types.as_stored.emplace(role, t.type);
}

}  // namespace

int64_t StepTypes::block() const {
  int64_t widest = 1;
  for (const auto& [role, type] : as_stored) widest = std::max(widest, block_elements(type));
  return widest;
}

DType device_type(const checkpoint::Checkpoint& model) {
  return any_matrix(model, [](DType t) { return t != DType::F32; }) ? DType::BF16 : DType::F32;
}

StepTypes layer_types(const checkpoint::Checkpoint& model, const checkpoint::LayerWeights& layer) {
  StepTypes types = without_weights(model);
  for (const checkpoint::LayerTensor& t : checkpoint::layer_tensors())
    if (t.is_in(model.config)) add(types, t.role, layer.*t.member);
  return types;
}

StepTypes head_types(const checkpoint::Checkpoint& model) {
  StepTypes types = without_weights(model);
  const checkpoint::EndTensor& head = checkpoint::lm_head_tensor();
  add(types, head.role, model.weights.*head.member);
  return types;
}

}  // namespace tilewright::models::transformer
