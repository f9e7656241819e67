// The benchmarks, one function per file. Each prints a table and measures its limits itself.
#pragma once

#include <optional>

#include "tilewright/cpu/instruction_set.h"
#include "tilewright/ir/program.h"

namespace tilewright::bench {

// What the benchmarks compute with: the instruction set of TILEWRIGHT_SIMD, or the machine's best.
struct Setting {
  std::optional<cpu::InstructionSet> chosen = {};

  cpu::InstructionSet exact() const { return chosen.value_or(cpu::InstructionSet::exact()); }
  cpu::InstructionSet fastest() const { return chosen.value_or(cpu::InstructionSet::fastest()); }
};

void bench_unroll(const Setting& setting);
void bench_sim(const Setting& setting);
void bench_limits(const Setting& setting);
void bench_read(const Setting& setting);
void bench_layer(const Setting& setting);
void bench_attention(const Setting& setting);
void bench_stack(const Setting& setting);
void bench_lsp(const Setting& setting);
void bench_scheduler(const Setting& setting);
void bench_grammar(const Setting& setting);

// The dependence pattern of decode-spec B.6 stage 7: per MLP block and output block a product, then
// an update of one accumulator tensor in GM.
ir::Program down_projection(int64_t blocks);

}  // namespace tilewright::bench
