// The element types of a step: what weights, activations and caches are held in while a model runs.
// A model of BF16 computes with BF16. Other weights stay as the file stores them, encoded or FP16,
// and are multiplied with FP32 rows. Types of the layers of one file may differ, so each layer has
// its own.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tilewright/checkpoint/checkpoint.h"

namespace tilewright::models::transformer {

struct StepTypes {
  DType cache = DType::BF16;        // K and V
  DType activations = DType::BF16;  // what is multiplied with weights
  // Matrices by role; the others have the type of the activations.
  std::map<std::string, DType, std::less<>> as_stored = {};

  // Q and the weights of attention, which are multiplied with K and V: FP32 rows by FP16 caches.
  DType attention() const { return cache == DType::F16 ? DType::F32 : cache; }
  static StepTypes all(DType type) { return {type, type, {}}; }
  DType weight(std::string_view role) const {
    const auto at = as_stored.find(role);
    return at == as_stored.end() ? activations : at->second;
  }
  // Columns of the widest block of any weight; 1 when none is encoded.
  int64_t block() const;
  bool operator==(const StepTypes&) const = default;
};

// What everything is held in on a device: FP32 when every matrix is stored so, else BF16.
DType device_type(const checkpoint::Checkpoint& model);

StepTypes layer_types(const checkpoint::Checkpoint& model, const checkpoint::LayerWeights& layer);
StepTypes head_types(const checkpoint::Checkpoint& model);

}  // namespace tilewright::models::transformer
