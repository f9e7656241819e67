#include "tilewright/base/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "tilewright/base/check.h"

namespace tilewright {
namespace {

enum class Kind : uint8_t { Bool, Signed, Unsigned, Float, Encoded };

struct Info {
  std::string_view name;
  std::string_view short_name;
  int bits;
  Kind kind;
  int block_elements = 1;  // of an encoded type
  int block_bytes = 0;
};

constexpr std::array<Info, kDTypeCount> kInfo{{
    {"BOOL", "bool", 8, Kind::Bool},
    {"INT4", "i4", 4, Kind::Signed},
    {"INT8", "i8", 8, Kind::Signed},
    {"INT16", "i16", 16, Kind::Signed},
    {"INT32", "i32", 32, Kind::Signed},
    {"INT64", "i64", 64, Kind::Signed},
    {"UINT4", "u4", 4, Kind::Unsigned},
    {"UINT8", "u8", 8, Kind::Unsigned},
    {"UINT16", "u16", 16, Kind::Unsigned},
    {"UINT32", "u32", 32, Kind::Unsigned},
    {"UINT64", "u64", 64, Kind::Unsigned},
    {"FP16", "f16", 16, Kind::Float},
    {"BF16", "bf16", 16, Kind::Float},
    {"FP32", "f32", 32, Kind::Float},
    {"FP4", "f4", 4, Kind::Float},
    {"FP8E4M3FN", "f8e4m3", 8, Kind::Float},
    {"FP8E5M2", "f8e5m2", 8, Kind::Float},
    {"HF4", "hf4", 4, Kind::Float},
    {"HF8", "hf8", 8, Kind::Float},
    {"Q4_0", "q4_0", 5, Kind::Encoded, 32, 18},
    {"Q4_1", "q4_1", 5, Kind::Encoded, 32, 20},
    {"Q5_0", "q5_0", 6, Kind::Encoded, 32, 22},
    {"Q5_1", "q5_1", 6, Kind::Encoded, 32, 24},
    {"Q8_0", "q8_0", 9, Kind::Encoded, 32, 34},
    {"Q2_K", "q2_k", 3, Kind::Encoded, 256, 84},
    {"Q3_K", "q3_k", 4, Kind::Encoded, 256, 110},
    {"Q4_K", "q4_k", 5, Kind::Encoded, 256, 144},
    {"Q5_K", "q5_k", 6, Kind::Encoded, 256, 176},
    {"Q6_K", "q6_k", 7, Kind::Encoded, 256, 210},
    {"IQ4_NL", "iq4_nl", 5, Kind::Encoded, 32, 18},
    {"IQ4_XS", "iq4_xs", 5, Kind::Encoded, 256, 136},
    {"MXFP4", "mxfp4", 5, Kind::Encoded, 32, 17},
    {"INDEX", "index", 64, Kind::Signed},
}};

const Info& info(DType t) { return kInfo[static_cast<std::size_t>(t)]; }

}  // namespace

std::string_view dtype_name(DType t) { return info(t).name; }
std::string_view dtype_short_name(DType t) { return info(t).short_name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < kInfo.size(); ++i)
    if (kInfo[i].name == name || kInfo[i].short_name == name) return static_cast<DType>(i);
  return std::nullopt;
}

int bits(DType t) { return info(t).bits; }
bool is_float(DType t) { return info(t).kind == Kind::Float; }
bool is_integer(DType t) { return info(t).kind == Kind::Signed || info(t).kind == Kind::Unsigned; }
bool is_signed(DType t) { return info(t).kind != Kind::Unsigned && t != DType::Bool; }
bool is_encoded(DType t) { return info(t).kind == Kind::Encoded; }

int64_t block_elements(DType t) {
  return is_encoded(t) ? info(t).block_elements : 8 / std::min(8, bits(t));
}
int64_t block_bytes(DType t) { return is_encoded(t) ? info(t).block_bytes : (bits(t) + 7) / 8; }

bool is_storable(DType t) {
  if (is_encoded(t)) return true;
  switch (t) {
    case DType::Bool:
    case DType::I8:
    case DType::I16:
    case DType::I32:
    case DType::I64:
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64:
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::Index: return true;
    case DType::I4:
    case DType::U4:
    case DType::F4:
    case DType::F8E4M3:
    case DType::F8E5M2:
    case DType::HF4:
    case DType::HF8:
    default: return false;
  }
}

int64_t bytes_of(DType t, int64_t count) {
  const int64_t block = block_elements(t);
  return (count + block - 1) / block * block_bytes(t);
}

double lowest_value(DType t) {
  const Info& i = info(t);
  switch (i.kind) {
    case Kind::Bool:
    case Kind::Unsigned: return 0;
    case Kind::Signed: return -std::ldexp(1.0, i.bits - 1);
    case Kind::Float: return -highest_value(t);
    case Kind::Encoded: bug("the range of an encoded type is that of its scales");
  }
  return 0;
}

double highest_value(DType t) {
  const Info& i = info(t);
  switch (i.kind) {
    case Kind::Bool: return 1;
    case Kind::Unsigned: return std::ldexp(1.0, i.bits) - 1;
    case Kind::Signed: return std::ldexp(1.0, i.bits - 1) - 1;
    case Kind::Float: break;
    case Kind::Encoded: bug("the range of an encoded type is that of its scales");
  }
  switch (t) {
    case DType::F32: return std::numeric_limits<float>::max();
    case DType::BF16: return f32_from_bf16(0x7F7F);
    case DType::F16: return 65504;
    case DType::F8E4M3: return 448;
    case DType::F8E5M2: return 57344;
    case DType::F4: return 6;
    case DType::HF4: return 6;
    case DType::HF8: return 32768;
    default: bug("highest_value of a type that is not a float");
  }
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  if (bits(a) != bits(b)) return bits(a) > bits(b) ? a : b;
  if (is_signed(a) != is_signed(b)) return is_signed(a) ? a : b;
  return a;
}

uint16_t bf16_from_f32(float v) {
  const uint32_t u = std::bit_cast<uint32_t>(v);
  if (std::isnan(v)) return static_cast<uint16_t>((u >> 16) | 0x0040);
  return static_cast<uint16_t>((u + 0x7FFF + ((u >> 16) & 1)) >> 16);
}

float f32_from_bf16(uint16_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b) << 16); }

uint16_t f16_from_f32(float v) {
  const uint32_t u = std::bit_cast<uint32_t>(v);
  const auto sign = static_cast<uint16_t>((u >> 16) & 0x8000);
  if (std::isnan(v)) return static_cast<uint16_t>(sign | 0x7E00);
  const float magnitude = std::fabs(v);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7C00);
  if (magnitude < 0x1p-14f) {
    // Subnormal: multiples of 2^-24; nearbyint rounds ties to even.
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24f)));
  }
  const uint32_t m = std::bit_cast<uint32_t>(magnitude);
  const uint32_t rounded = m + 0x0FFF + ((m >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

float f32_from_f16(uint16_t h) {
  const float sign = (h & 0x8000) ? -1.0f : 1.0f;
  const int exponent = (h >> 10) & 0x1F;
  const int mantissa = h & 0x3FF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  if (exponent == 31)
    return mantissa ? std::numeric_limits<float>::quiet_NaN()
                    : sign * std::numeric_limits<float>::infinity();
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

float round_to(DType t, float v) {
  switch (t) {
    case DType::BF16: return f32_from_bf16(bf16_from_f32(v));
    case DType::F16: return f32_from_f16(f16_from_f32(v));
    case DType::F32: return v;
    default: bug("round_to needs a storable float type");
  }
}

}  // namespace tilewright
