// What a program variant states about itself; `define` makes a catalog entry of it.
#pragma once

#include <algorithm>

#include "tilewright/models/qwen3/inputs.h"
#include "tilewright/models/qwen3/layer.h"
#include "tilewright/models/qwen3/reference.h"

namespace tilewright::models::qwen3 {

// Why the tolerances are what they are: the programs round to BF16 in the places the equations do
// and add up in FP32, so a result differs from the double-precision one by a rounding step at most
// where a sum falls on the edge between two BF16 numbers. 3e-3 covers that step for |out| < 1, 1e-3
// for |attn_out| < 0.25, and FP32 projections.
inline constexpr catalog::Tolerance kLayerTolerance{3e-3, 3e-3};
inline constexpr catalog::Tolerance kScopeTolerance{1e-3, 1e-3};
// With A8W8 a value near the edge between two codes may get either. The softmax weights of a program
// are BF16 and those of the reference are not, so that attention differs by BF16 steps; near the
// largest value of a row such a step is half a code. Neighbouring codes in many places are noise of
// 1 to 2 % of what the layer adds, 1e-3 RMS; the largest of a hundred thousand such errors is up to
// ten times that. A wrong scale moves values by tens of percent. tests/qwen3/a8w8_test.cc compares
// the stages, which know no such noise, within 1e-3 and closer.
inline constexpr catalog::Tolerance kCodedTolerance{1e-2, 1e-2};
// Cache rows are BF16 of any size: one step of theirs is 2^-7 of the value.
inline catalog::Tolerance cache_tolerance(const catalog::Tolerance& of_output) {
  return {std::max(0x1p-7, of_output.rtol), of_output.atol};
}

struct Definition {
  std::string name;
  std::string summary;
  std::string default_shape;
  TilingSpec tiling;
  ir::Program (*build)(const Choice&) = nullptr;
  Inits (*inputs)(const Choice&) = nullptr;
  void (*reference)(const reference::DecodeCase&, catalog::Arrays&) = nullptr;
  catalog::Tolerance tolerance = kLayerTolerance;
};

catalog::ProgramDef define(const Definition& d);
// A layer with A8W8 projections: its output within kCodedTolerance, its caches as always.
catalog::ProgramDef coded_layer(const Definition& d);

// ---- the variants, one file each ----
catalog::ProgramDef scope1_program();
catalog::ProgramDef scope1_split_program();
catalog::ProgramDef scope1_fused_norm_program();
catalog::ProgramDef scope2_program();
catalog::ProgramDef scope2_before_program();
catalog::ProgramDef scope12_program();
catalog::ProgramDef scope3_before_program();
catalog::ProgramDef scope3_program();
catalog::ProgramDef scope3_fused_program();
catalog::ProgramDef decode_program();
catalog::ProgramDef decode_tilelet_program();
catalog::ProgramDef decode_fused_qkrope_program();
catalog::ProgramDef decode_flash_program();
catalog::ProgramDef decode_best_program(const std::optional<GivenModel>& given = {});
catalog::ProgramDef scope3_best_program();
catalog::ProgramDef decode_a8w8_program();
catalog::ProgramDef decode_a8w8_best_program();
catalog::ProgramDef stack_program();
catalog::ProgramDef lm_head_program(const std::optional<GivenModel>& given = {});
catalog::ProgramDef embed_program();
catalog::ProgramDef moe_decode_program();

}  // namespace tilewright::models::qwen3
