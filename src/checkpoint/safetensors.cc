#include "tilewright/checkpoint/safetensors.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_reader.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/layout.h"

namespace tilewright::checkpoint {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr std::size_t kMaxRank = 8;

[[noreturn]] void refuse_safetensors(const std::string& origin, const std::string& what) {
  user_error("safetensors", what, "at " + origin,
             "a safetensors file is a header length, a header and the data it describes",
             "download the file again; it is truncated, modified, or of another type");
}

DType stored_type(std::string_view dtype, const std::string& name, const std::string& place) {
  for (const DType t : {DType::F32, DType::F16, DType::BF16})
    if (dtype == stored_type_name(t)) return t;
  user_error("tensor-dtype", fmt::format("tensor {} has the element type {}", name, quote(dtype)),
             fmt::format("{}, tensor {}", place, name),
             "safetensors weights may be F32, F16 or BF16", "use the BF16 version of this model");
}

Shape read_shape(JsonReader& r, const std::string& name) {
  Shape shape;
  r.begin_array();
  while (r.next_item()) {
    if (shape.size() == kMaxRank)
      r.fail(fmt::format("tensor {} has more than {} dimensions", name, kMaxRank));
    shape.push_back(r.integer());
    if (shape.back() < 0) r.fail(fmt::format("tensor {} has a negative dimension", name));
  }
  return shape;
}

void read_offsets(JsonReader& r, Placed& p) {
  int64_t ends[2] = {-1, -1};
  std::size_t n = 0;
  r.begin_array();
  while (r.next_item()) {
    const int64_t v = r.integer();
    if (n < 2) ends[n] = v;
    ++n;
  }
  if (n != 2 || ends[0] < 0 || ends[1] < 0)
    r.fail(fmt::format("data_offsets of tensor {} are not two offsets", p.tensor.name));
  p.begin = static_cast<uint64_t>(ends[0]);
  p.end = static_cast<uint64_t>(ends[1]);
}

Placed read_entry(JsonReader& r, const std::string& name) {
  Placed p;
  p.tensor.name = name;
  bool has_dtype = false, has_shape = false, has_offsets = false;
  r.begin_object();
  while (const auto key = r.next_key()) {
    if (*key == "dtype" && !has_dtype) {
      has_dtype = true;
      p.tensor.type = stored_type(r.string(), name, r.place());
    } else if (*key == "shape" && !has_shape) {
      has_shape = true;
      p.tensor.shape = read_shape(r, name);
    } else if (*key == "data_offsets" && !has_offsets) {
      has_offsets = true;
      read_offsets(r, p);
    } else {
      r.fail(fmt::format("field {} of tensor {} is unknown or given twice", quote(*key), name));
    }
  }
  if (!has_dtype || !has_shape || !has_offsets)
    r.fail(fmt::format("tensor {} lacks dtype, shape or data_offsets", name));
  return p;
}

}  // namespace

std::vector<TensorView> read_safetensors(std::span<const std::byte> file,
                                         const std::string& origin) {
  if (file.size() < kLengthBytes)
    refuse_safetensors(origin,
                       fmt::format("{} bytes are too few for a safetensors file", file.size()));
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kMaxHeader || length > file.size() - kLengthBytes)
    refuse_safetensors(origin,
                       fmt::format("a header of {} bytes in a file of {}", length, file.size()));

  const std::string_view header(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
  JsonReader r(header, origin);
  std::vector<Placed> placed;
  r.begin_object();
  while (const auto key = r.next_key()) {
    if (*key == "__metadata__") {
      r.skip();
    } else {
      const std::string name(*key);
      placed.push_back(read_entry(r, name));
    }
  }
  r.finish();
  return lay_out(std::move(placed), file.subspan(kLengthBytes + length), 1, origin);
}

}  // namespace tilewright::checkpoint
