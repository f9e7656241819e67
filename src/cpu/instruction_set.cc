#include "tilewright/cpu/instruction_set.h"

#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu {

static_assert(kPackedColumns == simd::kPanel && kPackedDepth == simd::kGroupK);

InstructionSet InstructionSet::exact() { return InstructionSet(*simd::vector_kernels().back()); }

InstructionSet InstructionSet::fastest() {
  const simd::Kernels* amx = simd::amx_kernels();
  return amx ? InstructionSet(*amx) : exact();
}

std::vector<InstructionSet> InstructionSet::all() {
  std::vector<InstructionSet> out;
  for (const simd::Kernels* k : simd::vector_kernels()) out.emplace_back(*k);
  if (const simd::Kernels* amx = simd::amx_kernels()) out.emplace_back(*amx);
  return out;
}

InstructionSet InstructionSet::named(std::string_view name) {
  std::vector<std::string> known;
  for (const InstructionSet& set : all()) {
    if (set.name() == name) return set;
    known.emplace_back(set.name());
  }
  user_error("simd", fmt::format("this machine has no instruction set {}", name),
             "environment variable TILEWRIGHT_SIMD",
             fmt::format("the available instruction sets are {}", join(known, ", ")),
             "choose one of these, or unset the variable");
}

std::string_view InstructionSet::name() const { return kernels_->name; }

InstructionSet InstructionSet::for_products_of(DType type) const {
  const bool fits = type == DType::BF16 || !kernels_->without_unit;
  return fits ? *this : InstructionSet(*kernels_->without_unit);
}

bool InstructionSet::has_product_unit() const { return kernels_->without_unit != nullptr; }
bool InstructionSet::adds_in_ascending_k() const { return kernels_->ascending; }
std::string_view InstructionSet::sums_text() const {
  return adds_in_ascending_k() ? "reproducible sums" : "sums in the order of AMX";
}
std::string_view InstructionSet::sums() const {
  return adds_in_ascending_k() ? "reproducible" : "AMX";
}

}  // namespace tilewright::cpu
