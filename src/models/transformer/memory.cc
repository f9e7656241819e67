#include "tilewright/models/transformer/memory.h"

namespace tilewright::models::transformer {

using checkpoint::StoredType;
using checkpoint::TensorView;

DType element_type(const checkpoint::Checkpoint& model) {
  bool all_f32 = true;
  model.for_each_weight([&](const TensorView& t) {
    if (t.shape.size() == 2 && t.type != StoredType::F32) all_f32 = false;
  });
  return all_f32 ? DType::F32 : DType::BF16;
}

MemoryNeed memory_need(const checkpoint::Checkpoint& model, int64_t context) {
  const int64_t bytes = bytes_of(element_type(model), 1);
  MemoryNeed need;
  need.weights = model.parameter_count() * bytes;
  need.cache_per_token = 2 * model.config.layers * model.config.kv_width() * bytes;
  need.cache = need.cache_per_token * context;
  return need;
}

std::vector<std::pair<StoredType, int64_t>> bytes_by_type(const checkpoint::Checkpoint& model) {
  std::vector<std::pair<StoredType, int64_t>> out;
  for (const StoredType type :
       {StoredType::F32, StoredType::F16, StoredType::BF16, StoredType::Q8_0, StoredType::Q4_0}) {
    int64_t bytes = 0;
    model.for_each_weight([&](const TensorView& t) {
      if (t.type == type) bytes += static_cast<int64_t>(t.bytes.size());
    });
    if (bytes > 0) out.emplace_back(type, bytes);
  }
  return out;
}

}  // namespace tilewright::models::transformer
