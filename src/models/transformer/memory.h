// The memory that a model needs, computed before it is allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tilewright/checkpoint/checkpoint.h"

namespace tilewright::models::transformer {

struct MemoryNeed {
  int64_t weights = 0;  // every parameter
  int64_t cache = 0;    // K and V of every layer, for the whole context
  int64_t cache_per_token = 0;
  int64_t total() const { return weights + cache; }
};

// `cache`: what K and V are held in, if not in what the weights suggest.
MemoryNeed memory_need(const checkpoint::Checkpoint& model, int64_t context,
                       std::optional<DType> cache = {});

// What a step reads at least, as it is held in memory: the matrices of all layers, of experts those
// of one row, and the LM head.
int64_t layer_bytes(const checkpoint::Checkpoint& model);
int64_t head_bytes(const checkpoint::Checkpoint& model);

// Elements of the same matrices, by how they are multiplied.
struct MatrixElements {
  int64_t plain = 0, encoded = 0;
};
MatrixElements layer_elements(const checkpoint::Checkpoint& model);
MatrixElements head_elements(const checkpoint::Checkpoint& model);

// Bytes of the weights as stored, by element type; types that occur.
std::vector<std::pair<DType, int64_t>> bytes_by_type(const checkpoint::Checkpoint& model);

}  // namespace tilewright::models::transformer
