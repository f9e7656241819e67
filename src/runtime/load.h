// Weights from the mapped file into the form they are multiplied in, a layer at a time: the file's
// bytes are never copied whole.
#pragma once

#include <functional>
#include <vector>

#include "tilewright/checkpoint/weights.h"
#include "tilewright/runtime/bound_program.h"

namespace tilewright::runtime {

// What a program is bound to for one layer: arrays by parameter, empty where one is packed or not
// the layer's own.
struct BoundWeights {
  std::vector<HostArray> arrays;
  cpu::PackedWeights packed;
  int64_t bytes() const;
};

// A weight of the file for a parameter of the program. Rows that only the parameter has are zero.
struct WeightSource {
  std::string_view parameter;
  const checkpoint::TensorView* tensor;
};

class WeightLoader {
 public:
  // `loaded` is told the bytes of the file as they are read.
  WeightLoader(BoundProgram& program, cpu::Pool& pool, std::function<void(int64_t)> loaded);

  BoundWeights load(const std::vector<WeightSource>& sources);

 private:
  BoundProgram& program_;
  cpu::Pool& pool_;
  std::function<void(int64_t)> loaded_;
  std::vector<HostArray> read_;  // what is packed next: the same memory for every layer
};

// Those of the experts of a layer, or the others.
std::vector<WeightSource> layer_sources(const checkpoint::ModelConfig& config,
                                        const checkpoint::LayerWeights& w, bool of_experts);
std::vector<WeightSource> head_sources(const checkpoint::Weights& w);

}  // namespace tilewright::runtime
