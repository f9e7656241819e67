#include "tilewright/models/transformer/memory.h"

#include <map>

#include "tilewright/checkpoint/family.h"
#include "tilewright/models/transformer/step_types.h"

namespace tilewright::models::transformer {

using checkpoint::TensorView;

namespace {

// Vectors are held in FP32; matrices beside FP32 rows as they are stored, else all in one type.
int64_t held_bytes(const TensorView& t, const StepTypes& types) {
  const int64_t count = t.rows() * t.cols();
  if (t.shape.size() != 2) return bytes_of(DType::F32, count);
  return bytes_of(types.activations == DType::F32 ? t.type : types.activations, count);
}

template <class Visit>
void for_each_layer_matrix(const checkpoint::Checkpoint& model, const Visit& visit) {
  for (const checkpoint::LayerWeights& layer : model.weights.layers)
    for (const checkpoint::LayerTensor& t : checkpoint::layer_tensors())
      if (t.is_in(model.config) && (layer.*t.member).shape.size() == 2) visit(t, layer.*t.member);
}

// Of the experts, those of one row.
int64_t of_a_row(const checkpoint::LayerTensor& t, const checkpoint::ModelConfig& c, int64_t all) {
  return t.of_experts ? all / c.experts * c.experts_per_token : all;
}

const TensorView& head_matrix(const checkpoint::Checkpoint& model) {
  return model.weights.*checkpoint::lm_head_tensor().member;
}

void add_elements(const TensorView& t, int64_t count, MatrixElements& sum) {
  (is_encoded(t.type) ? sum.encoded : sum.plain) += count;
}

}  // namespace

MemoryNeed memory_need(const checkpoint::Checkpoint& model, int64_t context,
                       std::optional<DType> cache) {
  const StepTypes types = head_types(model);
  MemoryNeed need;
  model.for_each_weight([&](const TensorView& t) { need.weights += held_bytes(t, types); });
  need.cache_per_token = bytes_of(cache.value_or(types.cache),
                                  2 * model.config.layers * model.config.kv_width());
  need.cache = need.cache_per_token * context;
  return need;
}

int64_t layer_bytes(const checkpoint::Checkpoint& model) {
  const StepTypes types = head_types(model);
  int64_t bytes = 0;
  for_each_layer_matrix(model, [&](const checkpoint::LayerTensor& t, const TensorView& w) {
    bytes += of_a_row(t, model.config, held_bytes(w, types));
  });
  return bytes;
}

int64_t head_bytes(const checkpoint::Checkpoint& model) {
  return held_bytes(head_matrix(model), head_types(model));
}

MatrixElements layer_elements(const checkpoint::Checkpoint& model) {
  MatrixElements sum;
  for_each_layer_matrix(model, [&](const checkpoint::LayerTensor& t, const TensorView& w) {
    add_elements(w, of_a_row(t, model.config, w.rows() * w.cols()), sum);
  });
  return sum;
}

MatrixElements head_elements(const checkpoint::Checkpoint& model) {
  MatrixElements sum;
  const TensorView& head = head_matrix(model);
  add_elements(head, head.rows() * head.cols(), sum);
  return sum;
}

std::vector<std::pair<DType, int64_t>> bytes_by_type(const checkpoint::Checkpoint& model) {
  std::map<DType, int64_t> bytes;
  model.for_each_weight(
      [&](const TensorView& t) { bytes[t.type] += t.byte_size(); });
  return {bytes.begin(), bytes.end()};
}

}  // namespace tilewright::models::transformer
