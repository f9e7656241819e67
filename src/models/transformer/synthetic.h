// Checkpoints with random weights, complete with a tokenizer and a chat template: for tests, and
// for benchmarks of models whose real weights are not at hand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tilewright/checkpoint/config.h"
#include "tilewright/checkpoint/tensor_view.h"

namespace tilewright::models::transformer {

struct SyntheticModel {
  checkpoint::ModelConfig config;
  DType type = DType::BF16;  // or F32, F16
  uint64_t seed = 1;
};

// Writes a Hugging Face directory, which must not hold a model yet. The same model gives the same
// bytes on every machine. Weights are scaled so that activations stay near one, attention picks few
// places, and one token stands out of the logits. `progress` is told the share that is done. Throws
// UserError, before anything is written when the disk lacks the space.
void write_synthetic(const SyntheticModel& model, const std::string& directory,
                     const std::function<void(double)>& progress = {});

}  // namespace tilewright::models::transformer
