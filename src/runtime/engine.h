// A loaded model: rows of tokens in, logits out. Sequences live in slots; a step appends tokens to
// any of them, prompts and decoding mixed, and every row attends to its own slot up to its own
// position. The logits of a row are the same to the bit however its prompt was cut, whatever else
// is in the step, and for any number of threads.
//
//   runtime::Engine engine(checkpoint, {.threads = 2, .slots = 4});
//   const int slot = engine.open_slot();
//   const auto logits = engine.step({{slot, 9707, false}, {slot, 11, true}});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tilewright/checkpoint/checkpoint.h"
#include "tilewright/cpu/instruction_set.h"
#include "tilewright/cpu/run/pool.h"
#include "tilewright/models/transformer/memory.h"
#include "tilewright/models/transformer/step_program.h"
#include "tilewright/runtime/page_table.h"

namespace tilewright::runtime {

struct EngineOptions {
  int threads = 0;      // 0 = one per core
  int64_t context = 0;  // positions of a sequence, at most; 0 = 4096, or the model's if fewer
  int64_t slots = 1;    // sequences at once
  int64_t cache_positions = 0;  // of all sequences together; 0 = the context for every slot
  int64_t chunk = 512;  // rows of a step, at most
  int64_t page = 256;   // positions of a page of the KV cache
  // What K and V are held in: F32, F16 or BF16. Without one, what the weights suggest.
  std::optional<DType> cache = {};
  int64_t split = models::transformer::kAttentionSplit;  // positions, whole pages
  int64_t memory = 0;                                    // bytes there are; 0 = ask the system
  cpu::InstructionSet instructions = cpu::InstructionSet::fastest();
  std::function<void(double)> progress = {};  // the share of the weights that is loaded
};

// One token, appended to a slot. Rows of one slot stand together in a step.
struct Row {
  int slot = 0;
  int32_t token = 0;
  bool wants_logits = false;
};

class Engine {
 public:
  // `model` must outlive the engine: rows of the embedding are read from its files. Throws
  // UserError before anything is loaded when the context or the memory does not suffice.
  Engine(const checkpoint::Checkpoint& model, const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;

  int open_slot();
  void close_slot(int slot);
  int64_t length(int slot) const;
  // Forgets all but the first `length` tokens.
  void truncate(int slot, int64_t length);

  // Pages of the KV cache can be in several slots, and be kept for slots to come. A step copies
  // what it would write to if somebody else has it, too.
  const PageTable& pages() const;
  int64_t page() const;  // positions of one
  // Appends the first `positions` tokens of a page, which a slot has or which is kept, to a slot
  // that has whole pages.
  void share_page(int slot, int32_t page, int64_t positions);
  void keep_page(int32_t page);
  void drop_page(int32_t page);
  // Pages that must be free for the next `rows` tokens of a slot.
  int64_t new_pages(int slot, int64_t rows) const;

  // At most `chunk` rows. The logits of the rows that want them, in their order, valid until the
  // next step.
  std::vector<std::span<const float>> step(std::span<const Row> rows);

  // A row of the last step as the last layer left it, before the final norm.
  std::span<const float> hidden(std::size_t row) const;

  const checkpoint::ModelConfig& config() const;
  int64_t context() const;
  int64_t slots() const;
  int64_t free_slots() const;
  int64_t chunk() const;
  cpu::Pool& pool();
  cpu::InstructionSet instructions() const;
  // What a step reads: the matrices of all layers, the LM head, and a token's K and V.
  int64_t layer_bytes() const;
  int64_t head_bytes() const;
  int64_t cache_bytes() const;
  // What a row is multiplied with.
  models::transformer::MatrixElements layer_elements() const;
  models::transformer::MatrixElements head_elements() const;
  int64_t pages_in_use() const;  // by slots
  int64_t memory_bytes() const;  // weights, and what lies between tasks; caches follow use
  // Where the packed weights lie, which every step reads.
  std::vector<std::span<const std::byte>> weight_regions() const;
  double tasks_seconds() const;  // making tasks, of all steps so far
  // Thread seconds by kernel since the last call, when asked to count them.
  std::vector<std::pair<std::string, double>> take_kernel_seconds();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The context that the options ask for. Throws UserError when the model was not made for it.
int64_t context_of(const checkpoint::ModelConfig& config, const EngineOptions& options);

// What an engine would take, its caches full: sequences of whole pages.
int64_t engine_memory(const checkpoint::Checkpoint& model, const EngineOptions& options);

}  // namespace tilewright::runtime
