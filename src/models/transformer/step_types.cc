#include "tilewright/models/transformer/step_types.h"

#include <algorithm>

#include "tilewright/checkpoint/family.h"

namespace tilewright::models::transformer {
namespace {

using checkpoint::TensorView;

bool any_encoded(const checkpoint::Checkpoint& model) {
  bool any = false;
  model.for_each_weight([&](const TensorView& t) { any = any || is_encoded(t.type); });
  return any;
}

StepTypes without_weights(const checkpoint::Checkpoint& model) {
  const DType type = float_type(model);
  return {type, any_encoded(model) ? DType::F32 : type, {}};
}

void add(StepTypes& types, std::string_view role, const TensorView& t) {
  if (is_encoded(t.type)) types.encoded.emplace(role, t.type);
}

}  // namespace

int64_t StepTypes::block() const {
  int64_t widest = 1;
  for (const auto& [role, type] : encoded) widest = std::max(widest, block_elements(type));
  return widest;
}

DType float_type(const checkpoint::Checkpoint& model) {
  bool all_f32 = true;
  model.for_each_weight([&](const TensorView& t) {
    if (t.shape.size() == 2 && t.type != DType::F32) all_f32 = false;
  });
  return all_f32 ? DType::F32 : DType::BF16;
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
