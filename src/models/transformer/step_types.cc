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

// BF16 would lose what the other types of a file keep, so rows are FP32 beside them, and caches
// FP16: of all that comes between, a rounding to BF16 of K and V would cost most.
StepTypes without_weights(const checkpoint::Checkpoint& model) {
  if (any_matrix(model, [](DType t) { return is_encoded(t) || t == DType::F16; }))
    return {DType::F16, DType::F32, {}};
  return StepTypes::all(device_type(model));
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
    if (t.is_in(model.config) && !t.in_f32) add(types, t.role, layer.*t.member);
  return types;
}

StepTypes head_types(const checkpoint::Checkpoint& model) {
  StepTypes types = without_weights(model);
  const checkpoint::EndTensor& head = checkpoint::lm_head_tensor();
  add(types, head.role, model.weights.*head.member);
  return types;
}

}  // namespace tilewright::models::transformer
