#include "tilewright/checkpoint/tensor_view.h"

#include <bit>
#include <cstring>

#include "tilewright/base/check.h"
#include "tilewright/base/encoding.h"
#include "tilewright/checkpoint/mapped_file.h"

namespace tilewright::checkpoint {
namespace {

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

}  // namespace

std::string_view stored_type_name(DType t) {
  return t == DType::F32 ? "F32" : t == DType::F16 ? "F16" : dtype_name(t);
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
  const int64_t n = bytes_of(type, cols());
  std::span<const std::byte> from = bytes;
  if (!parts.empty()) {
    const int64_t rows_of_part = rows() / static_cast<int64_t>(parts.size());
    from = parts[static_cast<std::size_t>(row / rows_of_part)];
    row %= rows_of_part;
  }
  return from.subspan(static_cast<std::size_t>(row * n), static_cast<std::size_t>(n));
}

int64_t TensorView::byte_size() const { return bytes_of(type, cols()) * rows(); }

void release_pages(const TensorView& t) {
  if (t.parts.empty()) return release_pages(t.bytes);
  for (const auto& part : t.parts) release_pages(part);
}

void read_row(const TensorView& t, int64_t row, std::span<float> out) {
  check(static_cast<int64_t>(out.size()) == t.cols(), "a row needs one place per column");
  const std::byte* from = t.row_bytes(row).data();
  if (is_encoded(t.type)) return decode_values(t.type, from, out);
  switch (t.type) {
    case DType::F32: std::memcpy(out.data(), from, out.size_bytes()); break;
    case DType::F16:
      for (float& v : out) v = widen_f16(load16(from)), from += 2;
      break;
    case DType::BF16:
      for (float& v : out) v = f32_from_bf16(load16(from)), from += 2;
      break;
    default: bug("a weight of a type that no file has");
  }
}

void read_row_bf16(const TensorView& t, int64_t row, std::span<uint16_t> out) {
  check(static_cast<int64_t>(out.size()) == t.cols(), "a row needs one place per column");
  if (t.type == DType::BF16) {
    std::memcpy(out.data(), t.row_bytes(row).data(), out.size_bytes());
    return;
  }
  thread_local std::vector<float> wide;  // rows are many and short; one buffer per thread
  wide.resize(out.size());
  read_row(t, row, wide);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = bf16_from_f32(wide[i]);
}

}  // namespace tilewright::checkpoint
