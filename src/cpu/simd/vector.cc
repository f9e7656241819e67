// The tables made with Highway, one per instruction set that this file is compiled for.
//
// Targets without fma are left out: every table fuses the multiply and the add of a product, or
// results would depend on the machine. Dot products of bytes are compiled apart (vnni.cc). Vectors
// of SVE have no size that register tiles could be laid out in; such machines have NEON, too. The
// instructions that convert to BF16 are not used: they flush subnormal numbers. Units that multiply
// BF16 or bytes alone, AMX and the dot products of BF16, are put beside what AVX-512 does.
#include <algorithm>
#include <optional>

#include "tilewright/cpu/simd/amx.h"
#include "tilewright/cpu/simd/bytes.h"
#include "tilewright/cpu/simd/dots.h"
#include "tilewright/cpu/simd/encoded_plain.h"
#include "tilewright/cpu/simd/kernels.h"
#include "tilewright/cpu/simd/start_check.h"
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
#define TILEWRIGHT_CPU_HAS_UNITS (HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX3)
#if TILEWRIGHT_CPU_HAS_UNITS
#include "tilewright/cpu/simd/amx_table-inl.h"
#include "tilewright/cpu/simd/dot_products-inl.h"
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

// Units of their own for some products, put into a table of this target if they go with it: their
// instructions, or models of them.
#if TILEWRIGHT_CPU_HAS_UNITS
#define TILEWRIGHT_CPU_PUT(...) __VA_ARGS__
#else
#define TILEWRIGHT_CPU_PUT(...)
#endif
void put_amx([[maybe_unused]] Kernels& k) {
  TILEWRIGHT_CPU_PUT(amx::put_bf16<amx::Instructions>(k);)
}
void put_amx_model([[maybe_unused]] Kernels& k) {
  TILEWRIGHT_CPU_PUT(amx::put_bf16<amx::Model>(k);)
}
void put_amx_integers([[maybe_unused]] Kernels& k) {
  TILEWRIGHT_CPU_PUT(amx::put_integers<amx::Instructions>(k);)
}
void put_amx_integers_model([[maybe_unused]] Kernels& k) {
  TILEWRIGHT_CPU_PUT(amx::put_integers<amx::Model>(k);)
}
void put_dots([[maybe_unused]] Kernels& k) { TILEWRIGHT_CPU_PUT(dots::put<dots::Instruction>(k);) }
void put_dots_model([[maybe_unused]] Kernels& k) { TILEWRIGHT_CPU_PUT(dots::put<dots::Model>(k);) }
#undef TILEWRIGHT_CPU_PUT

}  // namespace tilewright::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright::cpu::simd {

HWY_EXPORT(table);
HWY_EXPORT(put_amx);
HWY_EXPORT(put_amx_model);
HWY_EXPORT(put_amx_integers);
HWY_EXPORT(put_amx_integers_model);
HWY_EXPORT(put_dots);
HWY_EXPORT(put_dots_model);

namespace {

// The tables of this machine. Made together, once: Highway's choice of a target is one for the
// process.
struct Tables {
  std::vector<Kernels> vectors;  // the fastest last
  std::optional<Kernels> amx;
  std::vector<Kernels> models;

  Tables() {
    std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();  // begins with the best
    std::ranges::reverse(targets);
    vectors.reserve(targets.size() + 4);  // others point to one of them
    for (const int64_t target : targets) {
      if (target == HWY_EMU128 || target == HWY_SCALAR) continue;
      choose(target);
      vectors.push_back(HWY_DYNAMIC_DISPATCH(table)());
      if (target == HWY_AVX2) add_vnni();
    }
    choose(0);
    if (!vectors.empty() && targets.back() != HWY_AVX2) add_vnni();
    if (std::ranges::find(targets, int64_t{HWY_AVX3}) != targets.end()) add_units();
  }
  Tables(const Tables&) = delete;

 private:
  static void choose(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  // The last table with dot products of bytes is one more.
  void add_vnni() {
    Kernels k = vectors.back();
    if (use_vnni(k)) vectors.push_back(k);
  }
  using Put = void (*)(Kernels&);
  static Kernels with(std::string_view name, Kernels k, Put put) {
    k.name = name;
    put(k);
    return k;
  }
  // Of BF16, beside a table that multiplies all else.
  static Kernels with_bf16(std::string_view name, const Kernels& beside, Put put) {
    Kernels k = with(name, beside, put);
    k.without_unit = &beside;
    return k;
  }
  void add_units() {
    choose(HWY_AVX3);
    const Put amx_integers = HWY_DYNAMIC_DISPATCH(put_amx_integers);
    const Put amx_integers_model = HWY_DYNAMIC_DISPATCH(put_amx_integers_model);
    const Put amx_bf16 = HWY_DYNAMIC_DISPATCH(put_amx);
    const Put amx_bf16_model = HWY_DYNAMIC_DISPATCH(put_amx_model);
    const Put dots = HWY_DYNAMIC_DISPATCH(put_dots);
    const Put dots_model = HWY_DYNAMIC_DISPATCH(put_dots_model);
    choose(0);
    models.push_back(with("modelled AMX_INT8", vectors.back(), amx_integers_model));
    if (amx_permitted(AmxType::Int8)) add_amx_integers(amx_integers);
    const Kernels& beside = vectors.back();
    models.push_back(with_bf16("modelled AMX", beside, amx_bf16_model));
    if (amx_permitted(AmxType::Bf16)) {
      amx = with_bf16("AMX", beside, amx_bf16);
      if (!multiplies_bf16_as(models.back(), *amx)) {
        tell_wrong("products of BF16 by AMX");
        amx.reset();
      }
    }
    models.push_back(with_bf16("modelled AVX3_BF16", beside, dots_model));
    const Kernels by_dots = with_bf16("AVX3_BF16", beside, dots);
    if (dots_are_worth_it(by_dots)) vectors.push_back(by_dots);
  }
  void add_amx_integers(Put put) {
    const Kernels tiles = with("AMX_INT8", vectors.back(), put);
    if (!multiplies_as_plain(tiles) || !multiplies_bytes_as_plain(tiles))
      return tell_wrong("products of bytes by AMX");
    Kernels k = vectors.back();
    k.name = tiles.name;
    k.multiply_encoded_rows = tiles.multiply_encoded;
    k.multiply_byte_rows = tiles.multiply_bytes;
    k.integer_rounds = tiles.integer_rounds;
    vectors.push_back(k);
  }
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

std::vector<const Kernels*> pointers(const std::vector<Kernels>& to) {
  std::vector<const Kernels*> out;
  for (const Kernels& k : to) out.push_back(&k);
  return out;
}

}  // namespace

const Kernels* amx_kernels() { return tables().amx ? &*tables().amx : nullptr; }

std::vector<const Kernels*> vector_kernels() {
  std::vector<const Kernels*> all = pointers(tables().vectors);
  all.insert(all.begin(), &plain_kernels());
  return all;
}

std::vector<const Kernels*> modelled_kernels() { return pointers(tables().models); }

}  // namespace tilewright::cpu::simd
#endif
