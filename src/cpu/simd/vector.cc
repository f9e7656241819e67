// The tables made with Highway, one per instruction set that this file is compiled for.
//
// Targets without fma are left out: every table fuses the multiply and the add of a product, or
// results would depend on the machine. Dot products of bytes are compiled apart (vnni.cc). Vectors
// of SVE have no size that register tiles could be laid out in; such machines have NEON, too. BF16
// conversion and dot product instructions of vectors are not used: they flush subnormal numbers,
// and the dot product adds pairs. AMX does both, and is a table of its own.
#include <algorithm>
#include <optional>

#include "tilewright/cpu/simd/amx.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/vnni.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tilewright/cpu/simd/vector.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"
// Highway always wants a target for machines without any of its instruction sets: the plain table.
#define TILEWRIGHT_CPU_IS_PLAIN (HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR)
#if !TILEWRIGHT_CPU_IS_PLAIN
#include "tilewright/cpu/simd/bytes-inl.h"
#include "tilewright/cpu/simd/encoded-inl.h"
#include "tilewright/cpu/simd/left-inl.h"
#include "tilewright/cpu/simd/limits-inl.h"
#include "tilewright/cpu/simd/matmul-inl.h"
#include "tilewright/cpu/simd/pack-inl.h"
#include "tilewright/cpu/simd/rows-inl.h"
#include "tilewright/cpu/simd/softmax-inl.h"
#include "tilewright/cpu/simd/transposed-inl.h"
#endif
#define TILEWRIGHT_CPU_HAS_AMX (HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX3)
#if TILEWRIGHT_CPU_HAS_AMX
#include "tilewright/cpu/simd/amx_limit-inl.h"
#include "tilewright/cpu/simd/amx_panels-inl.h"
#include "tilewright/cpu/simd/amx_rows-inl.h"
#include "tilewright/cpu/simd/amx_transposed-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace tilewright::cpu::simd::HWY_NAMESPACE {

Kernels table() {
  Kernels k = plain_kernels();
#if !TILEWRIGHT_CPU_IS_PLAIN
  k.name = hwy::TargetName(HWY_TARGET);
  k.widen = widen;
  k.widen_f16 = widen_f16;
  k.narrow = narrow;
  k.narrow_f16 = narrow_f16;
  k.binary[kAdd] = binary<kAdd>;
  k.binary[kSub] = binary<kSub>;
  k.binary[kMul] = binary<kMul>;
  k.binary[kDiv] = binary<kDiv>;
  k.binary[kMax] = binary<kMax>;
  k.binary[kMin] = binary<kMin>;
  k.binary[kRight] = binary<kRight>;
  // log and rsqrt go through double precision, fmod is a long division: rare, they stay plain.
  k.unary[kNeg] = unary<kNeg>;
  k.unary[kAbs] = unary<kAbs>;
  k.unary[kExp] = unary<kExp>;
  k.unary[kSqrt] = unary<kSqrt>;
  k.unary[kRecip] = unary<kRecip>;
  k.mix_rows = mix_rows;
  k.row_sum = row_sum;
  k.row_max = row_pick<kMax>;
  k.row_min = row_pick<kMin>;
  k.softmax_row = softmax_row;
  k.pack_left = pack_left;
  k.pack_left_bf16 = pack_left_bf16;
  k.pack_columns = pack_columns;
  k.multiply_panels = multiply_panels;
  k.multiply_panels_f16 = multiply_panels_f16;
  k.multiply_rows_bf16 = multiply_rows_bf16;
  k.multiply_transposed_bf16 = multiply_transposed_bf16;
  k.multiply_rows_f16 = multiply_rows_f16;
  k.multiply_transposed_f16 = multiply_transposed_f16;
  k.multiply_rows_f32 = multiply_rows_f32;
  k.multiply_transposed_f32 = multiply_transposed_f32;
#if TILEWRIGHT_CPU_HAS_ENCODED
  k.quantise_rows = by_pairs::quantise_rows;
  k.multiply_encoded = by_pairs::multiply_encoded;
  k.multiply_bytes = by_pairs::multiply_bytes;
  k.integer_rounds = by_pairs::integer_rounds;
#endif
  k.fma_rounds = fma_rounds;
  k.product_rounds = fma_rounds;
  k.read_all = read_all;
#endif
  return k;
}

// The same with products of BF16 by AMX, if this target goes with it.
Kernels amx_table() {
  Kernels k = table();
#if TILEWRIGHT_CPU_HAS_AMX
  k.name = "AMX";
  k.panels = Panels::Pairs;
  k.rows_ahead = 0;
  k.pack_left_bf16 = amx::pack_left;
  k.multiply_panels = amx::multiply_panels;
  k.multiply_rows_bf16 = amx::multiply_rows;
  k.multiply_transposed_bf16 = amx::multiply_transposed;
  k.product_rounds = amx::product_rounds;
#endif
  return k;
}

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright::cpu::simd {

HWY_EXPORT(table);
HWY_EXPORT(amx_table);

namespace {

// The tables of the targets this machine supports, the fastest last, and AMX. Made together, once:
// Highway's choice of a target is one for the process.
struct Tables {
  std::vector<Kernels> vectors;
  std::optional<Kernels> amx;

  Tables() {
    std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();  // begins with the best
    std::ranges::reverse(targets);
    vectors.reserve(targets.size() + 1);  // `amx` points to one of them
    for (const int64_t target : targets) {
      if (target == HWY_EMU128 || target == HWY_SCALAR) continue;
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      vectors.push_back(HWY_DYNAMIC_DISPATCH(table)());
      if (target == HWY_AVX3 && amx_permitted()) amx = HWY_DYNAMIC_DISPATCH(amx_table)();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    add_vnni();
    if (amx) amx->without_amx = &vectors.back();
  }
  Tables(const Tables&) = delete;

 private:
  // The last table with dot products of bytes is one more; AMX has what it has beside its tiles.
  void add_vnni() {
    if (vectors.empty()) return;
    Kernels k = vectors.back();
    if (!use_vnni(k)) return;
    vectors.push_back(k);
    if (!amx) return;
    amx->multiply_encoded = k.multiply_encoded;
    amx->multiply_bytes = k.multiply_bytes;
    amx->integer_rounds = k.integer_rounds;
  }
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

}  // namespace

const Kernels* amx_kernels() { return tables().amx ? &*tables().amx : nullptr; }

std::vector<const Kernels*> vector_kernels() {
  std::vector<const Kernels*> all{&plain_kernels()};
  for (const Kernels& k : tables().vectors) all.push_back(&k);
  return all;
}

}  // namespace tilewright::cpu::simd
#endif
