#include "tilewright/cli/sums.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"

namespace tilewright::cli {

cpu::InstructionSet chosen_instructions(const Context& c, cpu::InstructionSet otherwise) {
  const std::string order = c.args.text("--sums");
  if (c.args.has("--sums") && order != "reproducible" && order != "fastest")
    user_error("command-line", fmt::format("--sums {}", order), "",
               "--sums is reproducible, for the same bits on every machine, or fastest, for the "
               "fastest products of BF16",
               "write --sums reproducible or --sums fastest");
  if (!c.terminal.simd.empty()) return cpu::InstructionSet::named(c.terminal.simd);
  if (!c.args.has("--sums")) return otherwise;
  return order == "fastest" ? cpu::InstructionSet::fastest() : cpu::InstructionSet::exact();
}

}  // namespace tilewright::cli
