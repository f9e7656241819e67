#include "tilewright/base/encoding.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "tilewright/base/check.h"

namespace tilewright {
namespace {

using Bytes = const std::byte*;

int byte_at(Bytes p, int64_t i) { return std::to_integer<int>(p[i]); }
uint16_t half_at(Bytes p, int64_t i) {
  uint16_t h = 0;
  std::memcpy(&h, p + i, 2);
  return h;
}

// The sixteen values of IQ4_NL and IQ4_XS, and twice those of E2M1.
constexpr std::array<int8_t, 16> kNonlinear{-127, -104, -83, -65, -49, -35, -22, -10,
                                            1,    13,   25,  38,  53,  69,  89,  113};
constexpr std::array<int8_t, 16> kE2M1Twice{0, 1,  2,  3,  4,  6,  8,  12,
                                            0, -1, -2, -3, -4, -6, -8, -12};

constexpr Encoding kQ4_0{.offset = 8};
constexpr Encoding kQ4_1{.minima = true};
constexpr Encoding kQ5_0{.bits = 5, .offset = 16};
constexpr Encoding kQ5_1{.bits = 5, .minima = true};
constexpr Encoding kQ8_0{.bits = 8};
constexpr Encoding kQ2_K{.part = 16, .bits = 2, .minima = true, .part_scales = true};
constexpr Encoding kQ3_K{.part = 16, .bits = 3, .offset = 4, .part_scales = true};
constexpr Encoding kQ4_K{.minima = true, .part_scales = true};
constexpr Encoding kQ5_K{.bits = 5, .minima = true, .part_scales = true};
constexpr Encoding kQ6_K{.part = 16, .bits = 6, .offset = 32, .part_scales = true};
constexpr Encoding kIQ4_NL{.table = kNonlinear.data()};
constexpr Encoding kIQ4_XS{.table = kNonlinear.data(), .part_scales = true};
constexpr Encoding kMXFP4{.table = kE2M1Twice.data()};

// Codes are cut out of eight bytes at a time: loading a model reads every block once.
constexpr uint64_t in_every_byte(uint64_t bits) { return bits * 0x0101010101010101; }
uint64_t word_at(const void* p, int i) {
  uint64_t w = 0;
  std::memcpy(&w, static_cast<const uint8_t*>(p) + i, 8);
  return w;
}
void put_word(uint8_t* out, int i, uint64_t w) { std::memcpy(out + i, &w, 8); }
// The bits of `mask` above `shift`, of every byte.
uint64_t bits_at(const void* p, int i, int shift, uint64_t mask) {
  return word_at(p, i) >> shift & in_every_byte(mask);
}

// The low nibbles of n bytes, then the high ones.
void read_nibbles(Bytes q, int n, uint8_t* out) {
  for (int i = 0; i < n; i += 8) {
    put_word(out, i, bits_at(q, i, 0, 15));
    put_word(out, n + i, bits_at(q, i, 4, 15));
  }
}
// Thirty-two elements in 16 bytes.
void read_nibbles(Bytes q, uint8_t* out) { read_nibbles(q, 16, out); }
// One more bit for each of 32 elements.
void add_fifth_bits(Bytes qh, uint8_t* out) {
  for (int j = 0; j < 32; ++j)
    out[j] = static_cast<uint8_t>(out[j] | ((byte_at(qh, j / 8) >> (j % 8)) & 1) << 4);
}

// Q2_K and Q3_K: element 128a + 32b + l has its two bits in byte 32a + l.
void read_two_bits(Bytes q, uint8_t* out) {
  for (int i = 0; i < 256; i += 8)
    put_word(out, i, bits_at(q, i / 128 * 32 + i % 32, i / 32 % 4 * 2, 3));
}
void read_q2_k(Bytes p, BlockFields& out) {
  out.scale = half_at(p, 80);
  out.minimum = half_at(p, 82);
  for (int g = 0; g < 16; ++g) {
    out.part_scales[g] = static_cast<int8_t>(byte_at(p, g) & 15);
    out.part_minima[g] = static_cast<int8_t>(byte_at(p, g) >> 4);
  }
  read_two_bits(p + 16, out.stored.data());
}
// The third bit says that 4 is not subtracted.
void read_q3_k(Bytes p, BlockFields& out) {
  const Bytes s = p + 96;
  out.scale = half_at(p, 108);
  for (int k = 0; k < 16; ++k) {
    const int low = k < 8 ? byte_at(s, k) & 15 : byte_at(s, k - 8) >> 4;
    const int high = (byte_at(s, 8 + k % 4) >> 2 * (k / 4)) & 3;
    out.part_scales[k] = static_cast<int8_t>(low + 16 * high - 32);
  }
  read_two_bits(p + 32, out.stored.data());
  uint8_t* stored = out.stored.data();
  for (int i = 0; i < 256; i += 8)
    put_word(stored, i, word_at(stored, i) | bits_at(p, i % 32, i / 32, 1) << 2);
}

// The eight pairs of 6-bit scales and minima of Q4_K and Q5_K.
void read_k_scales(Bytes p, BlockFields& out) {
  out.scale = half_at(p, 0);
  out.minimum = half_at(p, 2);
  const Bytes s = p + 4;
  for (int k = 0; k < 4; ++k) {
    out.part_scales[k] = static_cast<int8_t>(byte_at(s, k) & 63);
    out.part_minima[k] = static_cast<int8_t>(byte_at(s, k + 4) & 63);
    out.part_scales[k + 4] =
        static_cast<int8_t>((byte_at(s, k + 8) & 15) | (byte_at(s, k) >> 6) << 4);
    out.part_minima[k + 4] =
        static_cast<int8_t>((byte_at(s, k + 8) >> 4) | (byte_at(s, k + 4) >> 6) << 4);
  }
}
void read_k_nibbles(Bytes q, uint8_t* out) {
  for (int i = 0; i < 128; i += 32) read_nibbles(q + i, 32, out + 2 * i);
}
void read_q5_k(Bytes p, BlockFields& out) {
  read_k_scales(p, out);
  read_k_nibbles(p + 48, out.stored.data());
  uint8_t* stored = out.stored.data();
  for (int i = 0; i < 256; i += 8)
    put_word(stored, i, word_at(stored, i) | bits_at(p + 16, i % 32, i / 32, 1) << 4);
}
void read_q6_k(Bytes p, BlockFields& out) {
  out.scale = half_at(p, 208);
  std::memcpy(out.part_scales.data(), p + 192, 16);
  for (int i = 0; i < 256; i += 8) {
    const int a = i / 128, b = i / 32 % 4, l = i % 32;
    const uint64_t low = bits_at(p, 64 * a + 32 * (b % 2) + l, b < 2 ? 0 : 4, 15);
    put_word(out.stored.data(), i, low | bits_at(p + 128, 32 * a + l, 2 * b, 3) << 4);
  }
}
void read_iq4_xs(Bytes p, BlockFields& out) {
  out.scale = half_at(p, 0);
  for (int k = 0; k < 8; ++k) {
    const int low = (byte_at(p + 4, k / 2) >> 4 * (k % 2)) & 15;
    const int high = (byte_at(p + 2, k / 4) >> 2 * (k % 4)) & 3;
    out.part_scales[k] = static_cast<int8_t>(low + 16 * high - 32);
    read_nibbles(p + 8 + 16 * k, out.stored.data() + 32 * k);
  }
}

}  // namespace

const Encoding& encoding_of(DType t) {
  switch (t) {
    case DType::Q4_0: return kQ4_0;
    case DType::Q4_1: return kQ4_1;
    case DType::Q5_0: return kQ5_0;
    case DType::Q5_1: return kQ5_1;
    case DType::Q8_0: return kQ8_0;
    case DType::Q2_K: return kQ2_K;
    case DType::Q3_K: return kQ3_K;
    case DType::Q4_K: return kQ4_K;
    case DType::Q5_K: return kQ5_K;
    case DType::Q6_K: return kQ6_K;
    case DType::IQ4_NL: return kIQ4_NL;
    case DType::IQ4_XS: return kIQ4_XS;
    case DType::MXFP4: return kMXFP4;
    default: bug("the encoding of a type that is not encoded");
  }
}

void read_fields(DType t, const std::byte* p, BlockFields& out) {
  if (!encoding_of(t).part_scales) {
    out.scale = t == DType::MXFP4 ? static_cast<uint16_t>(byte_at(p, 0)) : half_at(p, 0);
    out.part_scales[0] = out.part_minima[0] = 1;
  }
  uint8_t* stored = out.stored.data();
  constexpr uint16_t kSign = 0x8000;  // these two add what they call a minimum
  switch (t) {
    case DType::Q4_0:
    case DType::IQ4_NL: return read_nibbles(p + 2, stored);
    case DType::MXFP4: return read_nibbles(p + 1, stored);
    case DType::Q4_1: out.minimum = half_at(p, 2) ^ kSign; return read_nibbles(p + 4, stored);
    case DType::Q5_0: read_nibbles(p + 6, stored); return add_fifth_bits(p + 2, stored);
    case DType::Q5_1:
      out.minimum = half_at(p, 2) ^ kSign;
      read_nibbles(p + 8, stored);
      return add_fifth_bits(p + 4, stored);
    case DType::Q8_0: std::memcpy(stored, p + 2, 32); return;
    case DType::Q2_K: return read_q2_k(p, out);
    case DType::Q3_K: return read_q3_k(p, out);
    case DType::Q4_K: read_k_scales(p, out); return read_k_nibbles(p + 16, stored);
    case DType::Q5_K: return read_q5_k(p, out);
    case DType::Q6_K: return read_q6_k(p, out);
    case DType::IQ4_XS: return read_iq4_xs(p, out);
    default: bug("a block of a type that is not encoded");
  }
}

// An MXFP4 exponent of 255 is NaN, as the OCP specification says.
float block_scale(DType t, uint16_t stored) {
  if (t != DType::MXFP4) return f32_from_f16(stored);
  return stored == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, stored - 128);
}

void decode_block(DType t, const std::byte* block, DecodedBlock& out) {
  const Encoding& e = encoding_of(t);
  const auto elements = static_cast<std::size_t>(block_elements(t));
  BlockFields fields;
  read_fields(t, block, fields);
  for (std::size_t i = 0; i < elements; ++i)
    out.codes[i] = e.table ? e.table[fields.stored[i]]
                           : static_cast<int8_t>(static_cast<int8_t>(fields.stored[i]) - e.offset);
  const float scale = block_scale(t, fields.scale);
  const float minimum = e.minima ? f32_from_f16(fields.minimum) : 0.0f;
  for (std::size_t p = 0; p < elements / static_cast<std::size_t>(e.part); ++p) {
    out.scales[p] = scale * static_cast<float>(fields.part_scales[p]);
    out.minima[p] = minimum * static_cast<float>(fields.part_minima[p]);
  }
}

void decode_values(DType t, const std::byte* from, std::span<float> out) {
  const auto block = static_cast<std::size_t>(block_elements(t));
  const auto part = static_cast<std::size_t>(encoding_of(t).part);
  check(out.size() % block == 0, "encoded values come in whole blocks");
  DecodedBlock b;
  for (std::size_t at = 0; at < out.size(); at += block, from += block_bytes(t)) {
    decode_block(t, from, b);
    for (std::size_t i = 0; i < block; ++i)
      out[at + i] = static_cast<float>(static_cast<double>(b.scales[i / part]) * b.codes[i] -
                                       static_cast<double>(b.minima[i / part]));
  }
}

void set_block_scale(DType t, std::byte* block, float largest) {
  const auto set_half = [&](int64_t at, float value) {
    const uint16_t h = f16_from_f32(value);
    std::memcpy(block + at, &h, 2);
  };
  switch (t) {
    case DType::Q4_0: return set_half(0, largest / 8);
    case DType::Q4_1: set_half(0, largest * 2 / 15); return set_half(2, -largest);
    case DType::Q5_0: return set_half(0, largest / 16);
    case DType::Q5_1: set_half(0, largest * 2 / 31); return set_half(2, -largest);
    case DType::Q8_0: return set_half(0, largest / 128);
    case DType::Q2_K: set_half(80, largest * 2 / (15 * 3)); return set_half(82, largest / 15);
    case DType::Q3_K: return set_half(108, largest / (32 * 4));
    case DType::Q4_K: set_half(0, largest * 2 / (63 * 15)); return set_half(2, largest / 63);
    case DType::Q5_K: set_half(0, largest * 2 / (63 * 31)); return set_half(2, largest / 63);
    case DType::Q6_K: return set_half(208, largest / (128 * 32));
    case DType::IQ4_NL: return set_half(0, largest / 127);
    case DType::IQ4_XS: return set_half(0, largest / (32 * 127));
    case DType::MXFP4: block[0] = static_cast<std::byte>(128 + std::ilogb(largest / 12)); return;
    default: bug("a block of a type that is not encoded");
  }
}

}  // namespace tilewright
