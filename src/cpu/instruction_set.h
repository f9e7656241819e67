// The instruction set that programs compute with on this machine: a handle on a table of inner
// loops. All compute the same bits, but for AMX, which adds products of BF16 in another order.
#pragma once

#include <string_view>
#include <vector>

#include "tilewright/base/dtype.h"

namespace tilewright::cpu {

namespace simd {
struct Kernels;
}

class InstructionSet {
 public:
  // The fastest that adds in ascending k, as golden does.
  static InstructionSet exact();
  // The fastest: AMX where there is one.
  static InstructionSet fastest();
  // Those of this machine, plain loops first, the fastest last.
  static std::vector<InstructionSet> all();
  // As TILEWRIGHT_SIMD names it; UserError with the names of this machine's.
  static InstructionSet named(std::string_view name);

  explicit InstructionSet(const simd::Kernels& kernels) : kernels_(&kernels) {}
  std::string_view name() const;
  // This one, or what it is beside a unit that cannot multiply `type`.
  InstructionSet for_products_of(DType type) const;
  // Whether products of BF16 have instructions of their own, faster than fma.
  bool has_product_unit() const;
  // As golden does, so that every machine gives the same bits; false of AMX.
  bool adds_in_ascending_k() const;
  // For people, and for JSON: "reproducible sums" and "reproducible", or of the order of AMX.
  std::string_view sums_text() const;
  std::string_view sums() const;
  const simd::Kernels& kernels() const { return *kernels_; }
  bool operator==(const InstructionSet&) const = default;

 private:
  const simd::Kernels* kernels_;
};

// Weights are packed in blocks of this many columns and rows; others are multiplied as they lie.
inline constexpr int64_t kPackedColumns = 32, kPackedDepth = 32;

}  // namespace tilewright::cpu
