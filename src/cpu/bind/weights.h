// Weights in the form that the kernels of an executable multiply with.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tilewright/cpu/bind/panels.h"
#include "tilewright/cpu/run/huge_pages.h"
#include "tilewright/cpu/run/pool.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/forward.h"

namespace tilewright::cpu {

// The packed weights of one set of bindings, by parameter; empty where a weight is used as it is.
struct PackedWeights {
  std::vector<HugePages> packed;
  int64_t bytes() const;
  // Adds where the packed weights lie.
  void add_regions(std::vector<std::span<const std::byte>>& regions) const;
};

// What to do with an array whose packed form replaces it.
enum class Source : uint8_t {
  Keep,
  Release,  // its memory is given back: the array is left empty, and only the packed form remains
};

// The columns of a weight that its array may lack.
enum class Missing : uint8_t {
  None,
  Zeros,  // the last ones: a vocabulary that blocks of columns do not divide
};

// Packs, on the threads of `pool` when there is one. Throws UserError for a weight of another type
// than its parameter, or when `memory` bytes are too few.
PackedWeights pack_weights(const ir::Program& program,
                           const std::vector<std::optional<PackedArg>>& packing,
                           const ir::Bindings& bindings, Source source, Pool* pool, int64_t memory,
                           Missing missing = Missing::None);

}  // namespace tilewright::cpu
