#include "tilewright/cpu/bind/weights.h"

#include <algorithm>

#include "tilewright/cpu/bind/bind.h"

namespace tilewright::cpu {
namespace {

using Packing = std::vector<std::optional<PackedArg>>;

bool has_some_columns(const ir::Var& var, const HostArray* array, const PackedArg& how) {
  if (!array || !array->data() || array->dtype() != var.dtype || array->shape().size() != 2)
    return false;
  return array->shape()[how.k] == var.shape[how.k] &&
         array->shape()[1 - how.k] <= var.shape[1 - how.k];
}

int64_t needed_bytes(const ir::Program& program, const Packing& packing,
                     const ir::Bindings& bindings, Source source, Missing missing) {
  int64_t needed = 0;
  for (std::size_t p = 0; p < packing.size(); ++p) {
    if (!packing[p]) continue;
    const ir::Var& var = program[program.params[p].var];
    const HostArray* array = p < bindings.arrays.size() ? bindings.arrays[p] : nullptr;
    if (missing == Missing::None || !has_some_columns(var, array, *packing[p]))
      require_array(program, var, array);
    const int64_t bytes = packed_bytes(var.shape, *packing[p]);
    // One weight at a time: with Release the one before has been given back.
    needed = source == Source::Release ? std::max(needed, bytes) : needed + bytes;
  }
  return needed;
}

// Panels of missing columns stay the zeros that pages begin with.
HugePages packed(const HostArray& from, const Shape& shape, const PackedArg& how, Pool* pool) {
  HugePages pages(packed_bytes(shape, how));
  const int64_t panels = panel_count(from.shape(), how);
  const int64_t threads = pool ? pool->threads() : 1;
  const auto pack_share = [&](int t) {
    pack_panels(from, how, panels * t / threads, panels * (t + 1) / threads, pages.data());
  };
  if (pool)
    pool->run(pack_share);
  else
    pack_share(0);
  return pages;
}

}  // namespace

int64_t PackedWeights::bytes() const {
  int64_t sum = 0;
  for (const HugePages& p : packed) sum += p.bytes();
  return sum;
}

void PackedWeights::add_regions(std::vector<std::span<const std::byte>>& regions) const {
  for (const HugePages& p : packed)
    if (p.bytes() > 0) regions.push_back(p.all());
}

PackedWeights pack_weights(const ir::Program& program, const Packing& packing,
                           const ir::Bindings& bindings, Source source, Pool* pool, int64_t memory,
                           Missing missing) {
  require_memory(program, "packed weights",
                 needed_bytes(program, packing, bindings, source, missing), memory);
  PackedWeights weights;
  weights.packed.resize(packing.size());
  for (std::size_t p = 0; p < packing.size(); ++p) {
    if (!packing[p]) continue;
    weights.packed[p] =
        packed(*bindings.arrays[p], program[program.params[p].var].shape, *packing[p], pool);
    if (source == Source::Release) *bindings.arrays[p] = HostArray();
  }
  return weights;
}

}  // namespace tilewright::cpu
