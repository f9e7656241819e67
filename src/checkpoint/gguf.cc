#include "tilewright/checkpoint/gguf.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>
#include <unordered_set>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/checkpoint/gguf_bytes.h"
#include "tilewright/checkpoint/layout.h"

namespace tilewright::checkpoint {
namespace {

constexpr uint32_t kVersion = 3;
constexpr uint32_t kMaxRank = 4;
constexpr uint64_t kDefaultAlignment = 32;
// What the shortest value and the shortest tensor description take: counts beyond are lies, told
// before anything is allocated for them.
constexpr uint64_t kSmallestValue = 8 + 4 + 1;
constexpr uint64_t kSmallestTensor = 8 + 4 + 4 + 8;

// The element types of the format by number. Those without a DType are known by name only.
struct TensorType {
  uint32_t number;
  std::string_view name;
  std::optional<DType> type = {};
};
constexpr std::array<TensorType, 33> kTensorTypes{{
    {0, "F32", DType::F32},
    {1, "F16", DType::F16},
    {2, "Q4_0", DType::Q4_0},
    {3, "Q4_1", DType::Q4_1},
    {6, "Q5_0", DType::Q5_0},
    {7, "Q5_1", DType::Q5_1},
    {8, "Q8_0", DType::Q8_0},
    {9, "Q8_1"},
    {10, "Q2_K", DType::Q2_K},
    {11, "Q3_K", DType::Q3_K},
    {12, "Q4_K", DType::Q4_K},
    {13, "Q5_K", DType::Q5_K},
    {14, "Q6_K", DType::Q6_K},
    {15, "Q8_K"},
    {16, "IQ2_XXS"},
    {17, "IQ2_XS"},
    {18, "IQ3_XXS"},
    {19, "IQ1_S"},
    {20, "IQ4_NL", DType::IQ4_NL},
    {21, "IQ3_S"},
    {22, "IQ2_S"},
    {23, "IQ4_XS", DType::IQ4_XS},
    {24, "I8"},
    {25, "I16"},
    {26, "I32"},
    {27, "I64"},
    {28, "F64"},
    {29, "IQ1_M"},
    {30, "BF16", DType::BF16},
    {34, "TQ1_0"},
    {35, "TQ2_0"},
    {39, "MXFP4", DType::MXFP4},
    {40, "NVFP4"},
}};

DType stored_type(uint32_t number, const std::string& name, const std::string& origin) {
  std::string said = fmt::format("number {}", number);
  for (const TensorType& t : kTensorTypes) {
    if (t.number != number) continue;
    if (t.type) return *t.type;
    said = t.name;
  }
  user_error("tensor-dtype", fmt::format("tensor {} has the element type {}", name, said),
             fmt::format("at {}, tensor {}", origin, name),
             "GGUF weights may be F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K to Q6_K, "
             "IQ4_NL, IQ4_XS or MXFP4",
             "use another version of this model, such as Q4_K_M or Q8_0");
}

Placed read_tensor(GgufBytes& r, const std::string& origin) {
  Placed p;
  p.tensor.name = r.string("the name of a tensor");
  const std::string& name = p.tensor.name;
  const auto rank = r.read<uint32_t>("a tensor's number of dimensions");
  if (rank == 0 || rank > kMaxRank) r.fail(fmt::format("tensor {} has {} dimensions", name, rank));
  p.tensor.shape.resize(rank);
  for (uint32_t i = rank; i-- > 0;) {  // the innermost dimension stands first
    const auto extent = r.read<uint64_t>("a tensor's dimension");
    if (extent > INT64_MAX) r.fail(fmt::format("tensor {} has a dimension of {}", name, extent));
    p.tensor.shape[i] = static_cast<int64_t>(extent);
  }
  p.tensor.type = stored_type(r.read<uint32_t>("a tensor's type"), name, origin);
  p.begin = r.read<uint64_t>("a tensor's offset");
  const auto bytes = tensor_byte_count(p.tensor.type, p.tensor.shape);
  if (!bytes)
    user_error("tensor-shape",
               fmt::format("tensor {} {} {} cannot be stored", name, shape_text(p.tensor.shape),
                           stored_type_name(p.tensor.type)),
               fmt::format("at {}, tensor {}", origin, name),
               "a row consists of whole blocks, and the size of a tensor in bytes fits in 62 bits",
               "download the file again; its header is damaged");
  if (__builtin_add_overflow(p.begin, *bytes, &p.end))
    r.fail(fmt::format("tensor {} has an offset of {}", name, p.begin));
  return p;
}

uint64_t alignment_of(const GgufFile& g, const GgufBytes& r) {
  const GgufValue* v = g.find("general.alignment");
  if (!v) return kDefaultAlignment;
  const auto alignment = v->integer();
  if (!alignment || *alignment < 1 || *alignment > 65536 ||
      !std::has_single_bit(static_cast<uint64_t>(*alignment)))
    r.fail("general.alignment is not a power of two up to 65536");
  return static_cast<uint64_t>(*alignment);
}

}  // namespace

uint32_t gguf_type_number(DType type) {
  for (const TensorType& t : kTensorTypes)
    if (t.type == type) return t.number;
  bug("a type that GGUF files do not have");
}

void GgufBytes::fail(const std::string& what) const {
  user_error("gguf", what, fmt::format("at {}, byte {}", origin_, at_),
             "a GGUF file is a header, key-values, tensor descriptions and the data they describe",
             "download the file again; it is truncated, modified, or of another type");
}

std::string_view GgufBytes::take(uint64_t size, const char* what) {
  if (size > left()) fail(fmt::format("the file ends inside {}", what));
  const std::string_view out = file_.substr(at_, size);
  at_ += size;
  return out;
}

std::string_view GgufBytes::string(const char* what) { return take(read<uint64_t>(what), what); }

GgufType GgufBytes::type() {
  const auto number = read<uint32_t>("the type of a value");
  if (number > static_cast<uint32_t>(GgufType::F64)) fail(fmt::format("value type {}", number));
  return static_cast<GgufType>(number);
}

GgufValue GgufBytes::value(GgufType type) {
  GgufValue v;
  v.type = type;
  if (type == GgufType::String) {
    v.bytes = string("a string");
  } else if (type == GgufType::Array) {
    v.element = this->type();
    v.count = read<uint64_t>("an array");
    if (v.element == GgufType::Array) fail("an array of arrays, which is not supported");
    const uint64_t size = v.element == GgufType::String ? 8 : gguf_fixed_size(v.element);
    if (v.count > left() / size) fail(fmt::format("an array of {} values", v.count));
    const uint64_t begin = at_;
    if (v.element == GgufType::String) {
      for (uint64_t i = 0; i < v.count; ++i) string("a string of an array");
    } else {
      take(v.count * size, "an array");
    }
    v.bytes = file_.substr(begin, at_ - begin);
  } else {
    v.bytes = take(gguf_fixed_size(type), "a value");
  }
  return v;
}

GgufFile read_gguf(std::span<const std::byte> file, const std::string& origin) {
  GgufBytes r({reinterpret_cast<const char*>(file.data()), file.size()}, origin);
  if (file.size() < 4 || r.take(4, "the magic") != "GGUF") r.fail("the file is not GGUF");
  const auto version = r.read<uint32_t>("the version");
  if (version != kVersion)
    r.fail(fmt::format("GGUF version {} is not supported; only version 3 is", version));
  const auto tensor_count = r.read<uint64_t>("the number of tensors");
  const auto value_count = r.read<uint64_t>("the number of values");
  if (value_count > r.left() / kSmallestValue) r.fail(fmt::format("{} values", value_count));

  GgufFile g;
  std::unordered_set<std::string_view> keys;
  for (uint64_t i = 0; i < value_count; ++i) {
    const std::string_view key = r.string("a key");
    if (!keys.insert(key).second) r.fail(fmt::format("key {} is given twice", quote(key)));
    g.values.emplace_back(key, r.value(r.type()));
  }
  const uint64_t alignment = alignment_of(g, r);

  if (tensor_count > r.left() / kSmallestTensor) r.fail(fmt::format("{} tensors", tensor_count));
  std::vector<Placed> placed;
  for (uint64_t i = 0; i < tensor_count; ++i) placed.push_back(read_tensor(r, origin));
  const uint64_t data_begin = (r.at() + alignment - 1) / alignment * alignment;
  const auto data =
      data_begin <= file.size() ? file.subspan(data_begin) : file.subspan(file.size());
  g.tensors = lay_out(std::move(placed), data, alignment, origin);
  return g;
}

}  // namespace tilewright::checkpoint
