#include "tilewright/data/npy_header.h"

#include <fmt/format.h>

#include <string_view>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/data/npy_dict.h"

namespace tilewright::data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
// Only structured types need longer headers, and those are not read.
constexpr uint32_t kLongestHeader = 65535;

uint64_t bytes_left(std::istream& file) {
  const auto here = file.tellg();
  file.seekg(0, std::ios::end);
  const auto end = file.tellg();
  file.seekg(here);
  return static_cast<uint64_t>(end - here);
}

std::string take_bytes(std::istream& file, std::size_t count, const std::string& origin) {
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  if (static_cast<std::size_t>(file.gcount()) != count)
    refuse_npy(origin, "the file ends inside its header");
  return bytes;
}

uint32_t little_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// `()`, `(3,)`, `(3, 4)`.
std::string tuple_text(const Shape& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace

void refuse_npy(const std::string& origin, const std::string& what) {
  user_error("npy", what, fmt::format("in {}", origin),
             "a .npy file is a header and the elements it describes, of a number type or bool",
             "save it again with numpy.save; save BF16 as float32");
}

std::string NpyType::name() const {
  switch (kind) {
    case 'f': return fmt::format("float{}", 8 * bytes);
    case 'i': return fmt::format("int{}", 8 * bytes);
    case 'u': return fmt::format("uint{}", 8 * bytes);
    default: return "bool";
  }
}

std::string npy_header(NpyType type, const Shape& shape) {
  std::string dict =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': {}, }}",
                  type.bytes == 1 ? '|' : '<', type.kind, type.bytes, tuple_text(shape));
  const std::size_t before = kMagic.size() + 4;  // version and length
  dict.append(kAlignment - 1 - (before + dict.size()) % kAlignment, ' ');
  dict += '\n';
  std::string header(kMagic);
  for (const std::size_t byte :
       {std::size_t{1}, std::size_t{0}, dict.size() & 0xFF, dict.size() >> 8})
    header += static_cast<char>(byte);
  return header + dict;
}

NpyHeader read_npy_header(std::istream& file, const std::string& origin) {
  if (take_bytes(file, kMagic.size(), origin) != kMagic)
    refuse_npy(origin, "this is not a .npy file");
  const std::string version = take_bytes(file, 2, origin);
  const int major = static_cast<unsigned char>(version[0]);
  const int minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0)
    refuse_npy(origin, fmt::format("version {}.{} of the format is not known", major, minor));
  const uint32_t length = little_endian(take_bytes(file, major == 1 ? 2 : 4, origin));
  if (length > kLongestHeader)
    refuse_npy(origin, fmt::format("a header of {} bytes, more than {}", length, kLongestHeader));
  const std::string text = take_bytes(file, length, origin);
  NpyHeader header = parse_npy_dict(text, origin);

  const auto count = checked_element_count(header.shape);
  if (!count)
    refuse_npy(origin, fmt::format("shape {} has too many elements", shape_text(header.shape)));
  const uint64_t needed = static_cast<uint64_t>(*count) * static_cast<uint64_t>(header.type.bytes);
  const uint64_t found = bytes_left(file);
  if (found != needed)
    refuse_npy(origin, fmt::format("{} {} needs {} bytes, but {} follow the header",
                                   header.type.name(), tuple_text(header.shape), needed, found));
  return header;
}

}  // namespace tilewright::data
