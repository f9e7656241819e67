#include "tilewright/golden/elements.h"

#include <cstring>
#include <type_traits>

#include "tilewright/base/check.h"
#include "tilewright/base/encoding.h"
#include "tilewright/golden/numbers.h"

namespace tilewright::golden {
namespace {

// How one element type lies in memory (Raw) and what it is in a tile (Value).
struct F32Codec {
  using Raw = float;
  using Value = float;
  static float decode(float raw) { return raw; }
  static float encode(float v) { return v; }
};
struct BF16Codec {
  using Raw = uint16_t;
  using Value = float;
  // Spelled out because weights are loaded a billion at a time and base's function is not inline.
  static float decode(uint16_t raw) {
    return std::bit_cast<float>(static_cast<uint32_t>(raw) << 16);
  }
  static uint16_t encode(float v) { return bf16_from_f32(v); }
};
struct F16Codec {
  using Raw = uint16_t;
  using Value = float;
  static float decode(uint16_t raw) { return f32_from_f16(raw); }
  static uint16_t encode(float v) { return f16_from_f32(v); }
};
template <class T>
struct IntCodec {
  using Raw = T;
  using Value = int64_t;
  static int64_t decode(T raw) { return static_cast<int64_t>(raw); }
  static T encode(int64_t v) {
    if constexpr (sizeof(T) < sizeof(v)) {
      if (v == kPoisonInt) {
        T poison;
        std::memset(&poison, kPoisonByte, sizeof poison);
        return poison;
      }
    }
    return static_cast<T>(v);
  }
};

template <class Visit>
void with_codec(DType t, Visit visit) {
  switch (t) {
    case DType::F32: return visit(F32Codec{});
    case DType::BF16: return visit(BF16Codec{});
    case DType::F16: return visit(F16Codec{});
    case DType::I8: return visit(IntCodec<int8_t>{});
    case DType::I16: return visit(IntCodec<int16_t>{});
    case DType::I32: return visit(IntCodec<int32_t>{});
    case DType::I64:
    case DType::Index: return visit(IntCodec<int64_t>{});
    case DType::Bool:
    case DType::U8: return visit(IntCodec<uint8_t>{});
    case DType::U16: return visit(IntCodec<uint16_t>{});
    case DType::U32: return visit(IntCodec<uint32_t>{});
    case DType::U64: return visit(IntCodec<uint64_t>{});
    case DType::I4:
    case DType::U4:
    case DType::F4:
    case DType::F8E4M3:
    case DType::F8E5M2:
    case DType::HF4:
    case DType::HF8:
    default: bug("elements of a type without storage, or of one whose elements share blocks");
  }
}

template <class Value, class TileT>
auto* elements(TileT& t) {
  if constexpr (std::is_same_v<Value, float>)
    return t.f.data();
  else
    return t.i.data();
}

float added(DType, float old, float v) { return old + v; }
int64_t added(DType t, int64_t old, int64_t v) {
  if (has_integer_poison(t) && v == kPoisonInt) return kPoisonInt;
  return Wrap(t)(static_cast<int64_t>(static_cast<uint64_t>(old) + static_cast<uint64_t>(v)));
}

// Rows of whole blocks; ir's type rules allow no others.
void load_encoded(DType stored, const std::byte* bytes, const Block& b, Tile& tile) {
  const int64_t block = block_elements(stored), part = encoding_of(stored).part;
  check(b.memory_at % block == 0 && b.extent.back() % block == 0, "part of an encoded block");
  DecodedBlock decoded;
  for_each_row<2>(b.extent, {b.memory, b.tile}, [&](const auto& at) {
    for (int64_t k = 0; k < b.extent.back(); k += block) {
      decode_block(stored, bytes + bytes_of(stored, b.memory_at + at[0] + k), decoded);
      EncodedElement* to = tile.e.data() + b.tile_at + at[1] + k;
      for (int64_t i = 0; i < block; ++i)
        to[i] = {decoded.scales[i / part], decoded.minima[i / part], decoded.codes[i]};
    }
  });
}

}  // namespace

void load_elements(DType stored, const std::byte* bytes, const Block& b, Tile& tile) {
  if (is_encoded(stored)) return load_encoded(stored, bytes, b, tile);
  with_codec(stored, [&]<class Codec>(Codec) {
    const auto* raw = reinterpret_cast<const typename Codec::Raw*>(bytes) + b.memory_at;
    auto* out = elements<typename Codec::Value>(tile) + b.tile_at;
    const int64_t n = b.extent.back();
    const int64_t step = b.memory[b.extent.size() - 1];
    for_each_row<2>(b.extent, {b.memory, b.tile}, [&](const auto& at) {
      const auto* from = raw + at[0];
      auto* to = out + at[1];
      for (int64_t k = 0; k < n; ++k) to[k] = Codec::decode(from[k * step]);
    });
  });
}

void store_elements(const Tile& tile, const Block& b, DType stored, std::byte* bytes, bool add) {
  with_codec(stored, [&]<class Codec>(Codec) {
    auto* raw = reinterpret_cast<typename Codec::Raw*>(bytes) + b.memory_at;
    const auto* in = elements<typename Codec::Value>(tile) + b.tile_at;
    const int64_t n = b.extent.back();
    const int64_t step = b.memory[b.extent.size() - 1];
    for_each_row<2>(b.extent, {b.memory, b.tile}, [&](const auto& at) {
      auto* to = raw + at[0];
      const auto* from = in + at[1];
      if (add) {
        for (int64_t k = 0; k < n; ++k)
          to[k * step] = Codec::encode(added(tile.dtype, Codec::decode(to[k * step]), from[k]));
      } else {
        for (int64_t k = 0; k < n; ++k) to[k * step] = Codec::encode(from[k]);
      }
    });
  });
}

}  // namespace tilewright::golden
