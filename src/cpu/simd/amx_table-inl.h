// What AMX puts into a table.
#pragma once  // for one target only

#include "hwy/highway.h"
#include "tilewright/cpu/simd/amx_bytes-inl.h"
#include "tilewright/cpu/simd/amx_encoded-inl.h"
#include "tilewright/cpu/simd/amx_limit-inl.h"
#include "tilewright/cpu/simd/amx_panels-inl.h"
#include "tilewright/cpu/simd/amx_rows-inl.h"
#include "tilewright/cpu/simd/amx_transposed-inl.h"
#include "tilewright/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE::amx {

template <class Unit>
void put_bf16(Kernels& k) {
  k.ascending = false;
  k.starts_sums = true;
  k.panels = Panels::Pairs;
  k.rows_ahead = 0;
  k.pack_left_bf16 = pack_left;
  k.multiply_panels = multiply_panels<Unit>;
  k.multiply_rows_bf16 = multiply_rows<Unit>;
  k.multiply_transposed_bf16 = multiply_transposed<Unit>;
  k.product_rounds = product_rounds<Unit>;
}

// Products of bytes and of encoded weights; exact, in any order.
template <class Unit>
void put_integers(Kernels& k) {
  k.multiply_encoded = multiply_encoded<Unit>;
  k.multiply_bytes = multiply_bytes<Unit>;
  k.integer_rounds = integer_rounds<Unit>;
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE::amx
HWY_AFTER_NAMESPACE();
