#include "tilewright/runtime/step_tiles.h"

#include <algorithm>

namespace tilewright::runtime {

using models::transformer::StepTiles;
using models::transformer::StepTypes;

namespace {

// Measured; see docs/models.md. With AMX more rows at once, or weights do not come fast enough:
// prompts of 512 are read at 760 tokens per second with 64, 870 with 128 and 920 with 256. With fma
// 64 are 1 % faster than those. Dot products at twice the rate of fma are not measured: 128.
int64_t rows_at_once(const cpu::InstructionSet& instructions) {
  if (!instructions.has_product_unit()) return 64;
  return instructions.adds_in_ascending_k() ? 128 : 256;
}

}  // namespace

StepTiles cpu_tiles(const cpu::InstructionSet& instructions, const StepTypes& types) {
  StepTiles t;
  t.rows = rows_at_once(instructions.for_products_of(types.activations));
  t.columns = 256;
  t.column_unit = cpu::kPackedColumns;  // weights are packed in panels
  // Or AMX could not have the weights packed, and blocks of encoded ones would be cut.
  t.depth_unit = std::max(cpu::kPackedDepth, types.block());
  t.attention_rows = 64;
  t.head_blocks = 4;
  return t;
}

namespace {

// Elements that the right operand of a product may have.
int64_t right_elements(const platform::Platform& machine, DType type) {
  constexpr int64_t kOtherwise = 65536;
  const platform::Memory* right = machine.memory(MemorySpace::Right);
  return (right && right->physical ? *right->physical : kOtherwise) / bytes_of(type, 1);
}

// KV heads of a task of attention: one, or so many that all tasks together are at most `most`.
std::vector<int64_t> heads_of_tasks(int64_t kv_heads, int64_t rows, int64_t most) {
  if (rows > most) return {1};
  int64_t heads = 1;
  while (heads < kv_heads && (kv_heads % heads != 0 || rows * kv_heads / heads > most)) ++heads;
  return heads == 1 ? std::vector<int64_t>{1} : std::vector<int64_t>{1, heads};
}

}  // namespace

int64_t device_page(const platform::Platform& machine, const checkpoint::ModelConfig& model,
                    DType type) {
  constexpr int64_t kMost = 256;
  int64_t page = kMost;
  while (page > machine.fractal_rows && page * model.head_dim > right_elements(machine, type))
    page /= 2;
  return page;
}

// Weights lie [out, in], so a row of a tile is a run of k: few columns and a deep k make long runs,
// of which HBM gives more (256 columns were slower for qwen3-0.6b and 32b in BF16). Both together
// fill the right operand's memory. Sixteen tasks a stage, since the runtime of April 2026 remembers
// 16 writers of a tensor.
std::vector<StepTiles> device_tiles(const platform::Platform& machine,
                                    const checkpoint::ModelConfig& model, DType type, int64_t rows,
                                    int64_t context) {
  const int64_t fractal = machine.fractal_rows;
  const int64_t whole_rows = (rows + fractal - 1) / fractal * fractal;
  StepTiles t;
  t.column_unit = t.depth_unit = t.attention_rows = fractal;
  t.norm_columns = 512;
  t.stage_tasks = 16;
  std::vector<StepTiles> out;
  for (const int64_t row_tile : {8, 4, 2, 1})
    for (const int64_t columns : {128, 64})
      for (const int64_t heads : heads_of_tasks(model.kv_heads, rows, t.stage_tasks)) {
        t.rows = std::min(whole_rows, row_tile * fractal);
        t.columns = columns;
        // Heads are not cut: their projections may be wider than the other blocks.
        t.depth = right_elements(machine, type) / std::max(columns, model.head_dim);
        t.attention_heads = heads;
        const int64_t tasks = rows * model.kv_heads / heads;
        const bool idle =
            context > models::transformer::kAttentionSplit && tasks < machine.cube_cores;
        for (const int64_t shares : {0, idle ? machine.cube_cores : 0}) {
          t.attention_shares = shares;
          if (std::ranges::find(out, t) == out.end()) out.push_back(t);
        }
      }
  return out;
}

}  // namespace tilewright::runtime
