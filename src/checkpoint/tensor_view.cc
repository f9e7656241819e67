#include "tilewright/checkpoint/tensor_view.h"

#include <bit>
#include <cstring>

#include "tilewright/base/check.h"

namespace tilewright::checkpoint {
namespace {

constexpr int64_t kBlock = 32;

uint16_t load16(const std::byte* at) {
  uint16_t v = 0;
  std::memcpy(&v, at, sizeof v);
  return v;
}

// A multiplication moves the exponent; it also makes subnormals normal, without a branch.
// Infinities and NaNs need their exponent filled up.
float widen_f16(uint16_t h) {
  const uint32_t magnitude = static_cast<uint32_t>(h & 0x7FFF) << 13;
  float v = std::bit_cast<float>(magnitude) * 0x1p112f;
  if ((h & 0x7C00) == 0x7C00) v = std::bit_cast<float>(magnitude | 0x7F800000u);
  return (h & 0x8000) ? -v : v;
}

void read_q8_0(const std::byte* from, std::span<float> out) {
  for (std::size_t at = 0; at < out.size(); at += kBlock, from += 2 + kBlock) {
    const float scale = widen_f16(load16(from));
    for (std::size_t i = 0; i < kBlock; ++i)
      out[at + i] = scale * static_cast<float>(static_cast<int8_t>(from[2 + i]));
  }
}

// The low halves of the 16 bytes are elements 0..15, the high halves 16..31.
void read_q4_0(const std::byte* from, std::span<float> out) {
  constexpr std::size_t kHalf = kBlock / 2;
  for (std::size_t at = 0; at < out.size(); at += kBlock, from += 2 + kHalf) {
    const float scale = widen_f16(load16(from));
    for (std::size_t i = 0; i < kHalf; ++i) {
      const int both = std::to_integer<int>(from[2 + i]);
      out[at + i] = scale * static_cast<float>((both & 15) - 8);
      out[at + i + kHalf] = scale * static_cast<float>((both >> 4) - 8);
    }
  }
}

}  // namespace

std::string_view stored_type_name(StoredType t) {
  switch (t) {
    case StoredType::F32: return "F32";
    case StoredType::F16: return "F16";
    case StoredType::BF16: return "BF16";
    case StoredType::Q8_0: return "Q8_0";
    case StoredType::Q4_0: return "Q4_0";
  }
  return "";
}

int64_t elements_per_block(StoredType t) {
  return t == StoredType::Q8_0 || t == StoredType::Q4_0 ? kBlock : 1;
}

int64_t bytes_per_block(StoredType t) {
  switch (t) {
    case StoredType::F32: return 4;
    case StoredType::F16:
    case StoredType::BF16: return 2;
    case StoredType::Q8_0: return 2 + kBlock;
    case StoredType::Q4_0: return 2 + kBlock / 2;
  }
  return 0;
}

int64_t row_byte_count(StoredType t, int64_t cols) {
  return cols / elements_per_block(t) * bytes_per_block(t);
}

int64_t TensorView::rows() const {
  int64_t n = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) n *= shape[i];
  return n;
}

std::span<const std::byte> TensorView::row_bytes(int64_t row) const {
  check(row >= 0 && row < rows(), "a row outside its tensor");
  if (const int64_t d = interleaved_head_dim; d > 0) {
    const int64_t in_head = row % d;
    row = row - in_head + 2 * (in_head % (d / 2)) + in_head / (d / 2);
  }
  const int64_t n = row_byte_count(type, cols());
  return bytes.subspan(static_cast<std::size_t>(row * n), static_cast<std::size_t>(n));
}

void read_row(const TensorView& t, int64_t row, std::span<float> out) {
  check(static_cast<int64_t>(out.size()) == t.cols(), "a row needs one place per column");
  const std::byte* from = t.row_bytes(row).data();
  switch (t.type) {
    case StoredType::F32: std::memcpy(out.data(), from, out.size_bytes()); break;
    case StoredType::F16:
      for (float& v : out) v = widen_f16(load16(from)), from += 2;
      break;
    case StoredType::BF16:
      for (float& v : out) v = f32_from_bf16(load16(from)), from += 2;
      break;
    case StoredType::Q8_0: read_q8_0(from, out); break;
    case StoredType::Q4_0: read_q4_0(from, out); break;
  }
}

void read_row_bf16(const TensorView& t, int64_t row, std::span<uint16_t> out) {
  check(static_cast<int64_t>(out.size()) == t.cols(), "a row needs one place per column");
  if (t.type == StoredType::BF16) {
    std::memcpy(out.data(), t.row_bytes(row).data(), out.size_bytes());
    return;
  }
  thread_local std::vector<float> wide;  // rows are many and short; one buffer per thread
  wide.resize(out.size());
  read_row(t, row, wide);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = bf16_from_f32(wide[i]);
}

}  // namespace tilewright::checkpoint
