// The end of a step: final norm and LM head.
#include "tilewright/models/transformer/step_cut.h"

namespace tilewright::models::transformer {

using namespace dsl;
using namespace programs;

int64_t StepSizes::padded_vocab() const {
  return (model.vocab + tiles.columns - 1) / tiles.columns * tiles.columns;
}

ir::Program head_program(const StepSizes& s) {
  Builder p("whole/head");
  const checkpoint::ModelConfig& m = s.model;
  const Tensor counts = p.input("counts", {1}, DType::I32);
  const Tensor hidden = p.input("hidden", {s.rows, m.hidden}, DType::F32);
  const Tensor gamma = p.weight("final_norm", {1, m.hidden}, DType::F32);
  const Tensor w = p.weight("lm_head", {s.padded_vocab(), m.hidden}, s.types.weight("lm_head"));
  // Rows beyond the count are left as they are.
  const Tensor logits =
      p.param("logits", {s.rows, s.padded_vocab()}, DType::F32, Direction::InOut, Role::Activation);
  const Tensor normed = p.tensor("normed", {s.rows, m.hidden}, s.types.activations);
  const Cut cut{s.tiles, m};
  each_row_tile(p, s.tiles.rows, p.read(counts, {0}), [&](const Rows& rows) {
    rms_norm(p, "final_norm", normed, hidden, gamma, rows, cut.norm());
    projection(p, "lm_head", logits, normed, rows, w, cut.chain(m.hidden),
               cut.blocks(s.padded_vocab(), s.tiles.columns, s.tiles.head_blocks));
  });
  return p.finish();
}

}  // namespace tilewright::models::transformer
