// The programs of a step made ready: every weight is packed, whatever the sizes of a model.
#include "tilewright/runtime/bound_program.h"
#include "tilewright/ir/program.h"

#include "support.h"
#include "tilewright/models/transformer/step_program.h"
#include "tilewright/runtime/step_tiles.h"

namespace runtime_test {
namespace {

// 288 and 160 are no two halves of whole groups of k.
TEST(BoundProgram, PacksEveryWeightForEveryInstructionSet) {
  for (const int64_t hidden : {256, 288, 160})
    for (const cpu::InstructionSet& instructions : instruction_sets()) {
      models::transformer::StepSizes sizes;
      sizes.model = transformer_test::small_config(Family::Qwen3, true, 8, 4);
      sizes.model.hidden = hidden;
      sizes.tiles = runtime::cpu_tiles(instructions, sizes.types);
      sizes.rows = sizes.slots = sizes.pages = sizes.slot_pages = 1;
      runtime::BoundProgram layer(models::transformer::layer_program(sizes), instructions);
      HostArray& counts = layer.make("counts");  // one row, one tile of attention
      counts.set(0, 1);
      counts.set(1, 1);
      layer.make("tiles").set(1, 1);  // which has one row
      for (const char* read : {"positions", "slots", "cache_rows", "page_table"}) layer.make(read);
      layer.make_tasks(1);
      for (const char* weight : {"wq", "wk", "wv", "wo", "w_gate", "w_up", "w_down"})
        EXPECT_TRUE(layer.packs(layer.index(weight)))
            << weight << " with " << hidden << " and " << instructions.name();
    }
}

}  // namespace
}  // namespace runtime_test
