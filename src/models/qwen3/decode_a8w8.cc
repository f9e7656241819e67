// The whole layer with A8W8 projections: weights are INT8 with a scale per column, the rows they
// multiply are INT8 with a scale per row (programs/quantise.h), sums are INT32. Attention, RoPE and
// residuals are those of the BF16 layer.
#include "tilewright/models/qwen3/define.h"

namespace tilewright::models::qwen3 {
namespace {

// As the BF16 layer; blocks of weights are twice as wide, since rows of 512 bytes are what HBM
// reads fastest.
Tiling a8w8_tiling(const ModelConfig& s, const catalog::Machine& machine) {
  Tiling t = default_tiling(s, machine);
  if (!machine.device) return t;
  t.q_n = t.kv_n = t.o_n = t.mlp_n = t.down_n = 512;
  t.o_chunk = t.down_chunk = 1;
  return fitted(t, s);
}

}  // namespace

catalog::ProgramDef coded_layer(const Definition& d) {
  catalog::ProgramDef def = define(d);
  def.tolerances[""] = kCodedTolerance;
  return def;
}

catalog::ProgramDef decode_a8w8_program() {
  return coded_layer(
      {.name = "qwen3/decode-a8w8",
       .summary = "the whole layer, INT8 projections with scales per row and column",
       .default_shape = "qwen3-32b",
       .tiling = {.groups = kStagedLayerKeys | kQuantKeys, .defaults = a8w8_tiling, .a8w8 = true},
       .build = [](const Choice& c) { return staged_layer("qwen3/decode-a8w8", c); },
       .inputs = decode_inputs,
       .reference = reference::decode});
}

}  // namespace tilewright::models::qwen3
