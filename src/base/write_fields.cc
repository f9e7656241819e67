// Fields of blocks put together, as read_fields of encoding.cc takes them apart.
#include <cstring>

#include "tilewright/base/check.h"
#include "tilewright/base/encoding.h"

namespace tilewright {
namespace {

void put_half(std::byte* p, uint16_t h) { std::memcpy(p, &h, 2); }
void put_bits(std::byte& b, int bits) { b |= static_cast<std::byte>(bits); }

// Thirty-two elements in 16 bytes: the low nibbles come first.
void put_nibbles(const uint8_t* stored, std::byte* q) {
  for (int j = 0; j < 16; ++j) put_bits(q[j], (stored[j] & 15) | (stored[j + 16] & 15) << 4);
}
void put_fifth_bits(const uint8_t* stored, std::byte* qh) {
  for (int j = 0; j < 32; ++j) put_bits(qh[j / 8], (stored[j] >> 4 & 1) << (j % 8));
}
// Q2_K and Q3_K: element 128a + 32b + l has its two bits in byte 32a + l.
void put_two_bits(const uint8_t* stored, std::byte* q) {
  for (int i = 0; i < 256; ++i)
    put_bits(q[i / 128 * 32 + i % 32], (stored[i] & 3) << i / 32 % 4 * 2);
}
// One bit of each of 256 elements: eight rows of 32.
void put_row_bits(const uint8_t* stored, int bit, std::byte* q) {
  for (int i = 0; i < 256; ++i) put_bits(q[i % 32], (stored[i] >> bit & 1) << (i / 32));
}

void put_q2_k(const BlockFields& f, std::byte* p) {
  for (int g = 0; g < 16; ++g) put_bits(p[g], f.part_scales[g] | f.part_minima[g] << 4);
  put_two_bits(f.stored.data(), p + 16);
  put_half(p + 80, f.scale);
  put_half(p + 82, f.minimum);
}
void put_q3_k(const BlockFields& f, std::byte* p) {
  put_row_bits(f.stored.data(), 2, p);
  put_two_bits(f.stored.data(), p + 32);
  for (int k = 0; k < 16; ++k) {
    const int six = f.part_scales[k] + 32;
    put_bits(p[96 + k % 8], (six & 15) << (k < 8 ? 0 : 4));
    put_bits(p[96 + 8 + k % 4], (six >> 4) << 2 * (k / 4));
  }
  put_half(p + 108, f.scale);
}

// The eight pairs of 6-bit scales and minima of Q4_K and Q5_K.
void put_k_scales(const BlockFields& f, std::byte* p) {
  put_half(p, f.scale);
  put_half(p + 2, f.minimum);
  std::byte* s = p + 4;
  for (int k = 0; k < 4; ++k) {
    const int scale = f.part_scales[k + 4], minimum = f.part_minima[k + 4];
    put_bits(s[k], f.part_scales[k] | (scale >> 4) << 6);
    put_bits(s[k + 4], f.part_minima[k] | (minimum >> 4) << 6);
    put_bits(s[k + 8], (scale & 15) | (minimum & 15) << 4);
  }
}
void put_k_nibbles(const uint8_t* stored, std::byte* q) {
  for (int i = 0; i < 128; ++i) {
    const uint8_t* low = stored + i / 32 * 64 + i % 32;
    put_bits(q[i], (low[0] & 15) | (low[32] & 15) << 4);
  }
}
void put_q6_k(const BlockFields& f, std::byte* p) {
  for (int i = 0; i < 256; ++i) {
    const int a = i / 128, b = i / 32 % 4, l = i % 32;
    put_bits(p[64 * a + 32 * (b % 2) + l], (f.stored[i] & 15) << (b < 2 ? 0 : 4));
    put_bits(p[128 + 32 * a + l], (f.stored[i] >> 4 & 3) << 2 * b);
  }
  std::memcpy(p + 192, f.part_scales.data(), 16);
  put_half(p + 208, f.scale);
}
void put_iq4_xs(const BlockFields& f, std::byte* p) {
  put_half(p, f.scale);
  for (int k = 0; k < 8; ++k) {
    const int six = f.part_scales[k] + 32;
    put_bits(p[4 + k / 2], (six & 15) << 4 * (k % 2));
    put_bits(p[2 + k / 4], (six >> 4) << 2 * (k % 4));
    put_nibbles(f.stored.data() + 32 * k, p + 8 + 16 * k);
  }
}

}  // namespace

void write_fields(DType t, const BlockFields& f, std::byte* p) {
  std::memset(p, 0, static_cast<std::size_t>(block_bytes(t)));
  const uint8_t* stored = f.stored.data();
  constexpr uint16_t kSign = 0x8000;  // these two add what they call a minimum
  switch (t) {
    case DType::Q4_0:
    case DType::IQ4_NL: put_half(p, f.scale); return put_nibbles(stored, p + 2);
    case DType::MXFP4: put_bits(p[0], f.scale); return put_nibbles(stored, p + 1);
    case DType::Q4_1:
      put_half(p, f.scale);
      put_half(p + 2, f.minimum ^ kSign);
      return put_nibbles(stored, p + 4);
    case DType::Q5_0:
      put_half(p, f.scale);
      put_fifth_bits(stored, p + 2);
      return put_nibbles(stored, p + 6);
    case DType::Q5_1:
      put_half(p, f.scale);
      put_half(p + 2, f.minimum ^ kSign);
      put_fifth_bits(stored, p + 4);
      return put_nibbles(stored, p + 8);
    case DType::Q8_0:
      put_half(p, f.scale);
      std::memcpy(p + 2, stored, 32);
      return;
    case DType::Q2_K: return put_q2_k(f, p);
    case DType::Q3_K: return put_q3_k(f, p);
    case DType::Q4_K: put_k_scales(f, p); return put_k_nibbles(stored, p + 16);
    case DType::Q5_K:
      put_k_scales(f, p);
      put_row_bits(stored, 4, p + 16);
      return put_k_nibbles(stored, p + 48);
    case DType::Q6_K: return put_q6_k(f, p);
    case DType::IQ4_XS: return put_iq4_xs(f, p);
    default: bug("a block of a type that is not encoded");
  }
}

}  // namespace tilewright
