// The layers of a loaded model: their weights and caches, and the programs that run them. A file
// may hold the same matrix of different layers in different element types; layers whose types agree
// share a program.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tilewright/models/transformer/step_program.h"
#include "tilewright/runtime/bound_program.h"
#include "tilewright/runtime/expert_stage.h"
#include "tilewright/runtime/load.h"

namespace tilewright::runtime {

class LayerStack {
 public:
  // `sizes` are those of every layer but for the types of its weights and how the step is cut for
  // them.
  LayerStack(const checkpoint::Checkpoint& model, const models::transformer::StepSizes& sizes,
             cpu::InstructionSet instructions);

  // A zeroed array that is bound to the parameter of this name in every program.
  HostArray& make(std::string_view name);
  // As BoundProgram's.
  void make_tasks(int threads);
  // Once, after tasks were made. `loaded` is told the bytes of the file as they are read.
  void load(const checkpoint::Checkpoint& model, cpu::Pool& pool,
            const std::function<void(int64_t)>& loaded);

  // The K and V of the first positions of a page, in all layers.
  void copy_page(int32_t from, int32_t to, int64_t positions);

  // All layers, one after the other.
  void run(cpu::Pool& pool);

  int64_t memory_bytes() const;  // weights, and what lies between tasks
  void add_weight_regions(std::vector<std::span<const std::byte>>& regions) const;
  std::vector<std::pair<std::string, double>> take_kernel_seconds();  // of all layers by kernel

 private:
  struct Variant {
    models::transformer::StepTypes types;
    BoundProgram program;
    std::optional<ExpertStage> experts;
  };
  struct Layer {
    BoundWeights weights, expert_weights;
    HostArray k_cache, v_cache;
  };

  std::vector<std::unique_ptr<Variant>> variants_;
  std::vector<Variant*> variant_of_;  // by layer
  std::vector<Layer> layers_;
  Shape cache_shape_;
  HostArray* counts_ = nullptr;  // rows of the step, and tiles of attention
  int64_t kv_heads_, page_;
};

}  // namespace tilewright::runtime
