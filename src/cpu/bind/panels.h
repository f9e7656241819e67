// Weights in panels: the layouts that products stream through.
#pragma once

#include "tilewright/base/array.h"
#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::cpu {

// How a weight, or the argument of a kernel that it is, lies in memory: `k` is the dimension that
// is reduced.
struct PackedArg {
  bool packed = false;
  std::size_t k = 0;
  simd::Panels panels = simd::Panels::Rows;
  DType type = DType::BF16;

  bool operator==(const PackedArg&) const = default;
};

int64_t panel_count(const Shape& shape, const PackedArg& how);
// From one panel to the next: in elements, of encoded types in bytes.
int64_t panel_stride(const Shape& shape, const PackedArg& how);
// Of a packed weight; the last panel is filled up with zeros.
int64_t packed_bytes(const Shape& shape, const PackedArg& how);

// Panels [first, last) of `from` written to `to`; panels may be packed by several threads.
void pack_panels(const HostArray& from, const PackedArg& how, int64_t first, int64_t last,
                 std::byte* to);

}  // namespace tilewright::cpu
