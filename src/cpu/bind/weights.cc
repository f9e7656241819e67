#include "tilewright/cpu/bind/weights.h"

#include <algorithm>

#include "tilewright/cpu/bind/bind.h"

namespace tilewright::cpu {
namespace {

using Packing = std::vector<std::optional<PackedArg>>;

int64_t needed_bytes(const ir::Program& program, const Packing& packing,
                     const ir::Bindings& bindings, Source source) {
  int64_t needed = 0;
  for (std::size_t p = 0; p < packing.size(); ++p) {
    if (!packing[p]) continue;
    const ir::Var& var = program[program.params[p].var];
    require_array(program, var, p < bindings.arrays.size() ? bindings.arrays[p] : nullptr);
    const int64_t bytes = packed_bytes(var.shape, *packing[p]);
    // One weight at a time: with Release the one before has been given back.
    needed = source == Source::Release ? std::max(needed, bytes) : needed + bytes;
  }
  return needed;
}

HugePages packed(const HostArray& from, const PackedArg& how, Pool* pool) {
  HugePages pages(packed_bytes(from.shape(), how));
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

PackedWeights pack_weights(const ir::Program& program, const Packing& packing,
                           const ir::Bindings& bindings, Source source, Pool* pool,
                           int64_t memory) {
  require_memory(program, "packed weights", needed_bytes(program, packing, bindings, source),
                 memory);
  PackedWeights weights;
  weights.packed.resize(packing.size());
  for (std::size_t p = 0; p < packing.size(); ++p) {
    if (!packing[p]) continue;
    weights.packed[p] = packed(*bindings.arrays[p], *packing[p], pool);
    if (source == Source::Release) *bindings.arrays[p] = HostArray();
  }
  return weights;
}

}  // namespace tilewright::cpu
