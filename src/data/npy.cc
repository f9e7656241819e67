#include "tilewright/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/base/text.h"
#include "tilewright/data/npy_elements.h"

namespace tilewright::data {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie");

constexpr int64_t kBlock = 1 << 16;  // elements that are converted at a time

[[noreturn]] void does_not_fit(const std::string& origin, const std::string& what) {
  program_error("npy-type", what, fmt::format("in {}", origin),
                "the file must have the parameter's shape, floats for a float type, and integers "
                "in range for an integer type",
                "save the array with the shape and type of the parameter");
}

HostArray widened(const HostArray& bf16) {
  HostArray out(DType::F32, bf16.shape());
  std::ranges::transform(bf16.as<uint16_t>(), out.as<uint32_t>().begin(),
                         [](uint16_t b) { return uint32_t{b} << 16; });
  return out;
}

void write_elements(const fs::path& path, NpyType type, const Shape& shape,
                    std::span<const std::byte> elements) {
  const std::string header = npy_header(type, shape);
  write_bytes(path, {std::as_bytes(std::span(header)), elements});
}

// The row-major index of the k-th element of a file.
int64_t row_major(const NpyHeader& header, int64_t k) {
  if (!header.fortran_order) return k;
  int64_t index = 0;
  int64_t stride = element_count(header.shape);
  for (const int64_t d : header.shape) {
    stride /= d;
    index += k % d * stride;
    k /= d;
  }
  return index;
}

void read_elements(std::istream& file, const NpyHeader& header, std::span<std::byte> out,
                   const std::string& origin) {
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  if (!file) refuse_npy(origin, "the file cannot be read to its end");
  if (!header.big_endian) return;
  const auto size = static_cast<std::size_t>(header.type.bytes);
  for (std::size_t at = 0; at < out.size(); at += size) std::ranges::reverse(out.subspan(at, size));
}

void require_fit(const NpyHeader& header, const std::string& origin, DType dtype,
                 const Shape& shape) {
  if (header.shape == shape && (header.type.kind == 'f') == is_float(dtype)) return;
  does_not_fit(origin, fmt::format("the file has {} {}, but the parameter is {} {}",
                                   shape_text(header.shape), header.type.name(), shape_text(shape),
                                   dtype_name(dtype)));
}

void put_or_refuse(HostArray& out, int64_t index, NpyType type, const std::byte* from,
                   const std::string& origin) {
  if (put_element(out, index, type, from)) return;
  does_not_fit(origin, fmt::format("element {} is {}, which is not a valid {}", index,
                                   integer_text(type, from), dtype_name(out.dtype())));
}

}  // namespace

void write_npy(const fs::path& path, const HostArray& array) {
  if (array.dtype() == DType::BF16) return write_npy(path, widened(array));
  write_elements(path, npy_type(array.dtype()), array.shape(),
                 {array.data(), static_cast<std::size_t>(array.byte_size())});
}

void write_npy_scalar(const fs::path& path, DType dtype, double value) {
  const auto integer = static_cast<int64_t>(value);
  if (is_float(dtype))
    write_elements(path, {'f', 8}, {}, std::as_bytes(std::span(&value, 1)));
  else
    write_elements(path, {'i', 8}, {}, std::as_bytes(std::span(&integer, 1)));
}

HostArray read_npy(std::istream& file, const std::string& origin, DType dtype, const Shape& shape) {
  const NpyHeader header = read_npy_header(file, origin);
  require_fit(header, origin, dtype, shape);
  HostArray out(dtype, shape);
  if (same_bytes(header.type, dtype) && !header.fortran_order) {
    read_elements(file, header, {out.data(), static_cast<std::size_t>(out.byte_size())}, origin);
    return out;
  }
  const auto size = static_cast<std::size_t>(header.type.bytes);
  std::vector<std::byte> block(static_cast<std::size_t>(std::min(kBlock, out.size())) * size);
  for (int64_t begin = 0; begin < out.size(); begin += kBlock) {
    const int64_t count = std::min(kBlock, out.size() - begin);
    read_elements(file, header, std::span(block).first(static_cast<std::size_t>(count) * size),
                  origin);
    for (int64_t k = 0; k < count; ++k) {
      const std::byte* element = block.data() + static_cast<std::size_t>(k) * size;
      put_or_refuse(out, row_major(header, begin + k), header.type, element, origin);
    }
  }
  return out;
}

HostArray read_npy(const fs::path& path, DType dtype, const Shape& shape) {
  std::ifstream file = open_regular_file(path);
  return read_npy(file, path.string(), dtype, shape);
}

double read_npy_scalar(const fs::path& path, DType dtype) {
  std::ifstream file = open_regular_file(path);
  const NpyHeader header = read_npy_header(file, path.string());
  require_fit(header, path.string(), dtype, {});
  std::array<std::byte, sizeof(double)> bytes{};
  read_elements(file, header, std::span(bytes).first(static_cast<std::size_t>(header.type.bytes)),
                path.string());
  if (header.type.kind == 'f') return float_at(header.type, bytes.data());
  HostArray value(dtype, {});
  put_or_refuse(value, 0, header.type, bytes.data(), path.string());
  return value.at(0);
}

}  // namespace tilewright::data
