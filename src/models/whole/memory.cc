#include "tilewright/models/whole/memory.h"

namespace tilewright::models::whole {

using checkpoint::StoredType;
using checkpoint::TensorView;

MemoryNeed memory_need(const checkpoint::Checkpoint& model, int64_t context) {
  constexpr int64_t kBf16 = 2;
  MemoryNeed need;
  need.weights = model.parameter_count() * kBf16;
  need.cache_per_token = 2 * model.config.layers * model.config.kv_width() * kBf16;
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

}  // namespace tilewright::models::whole
