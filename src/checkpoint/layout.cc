#include "tilewright/checkpoint/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"

namespace tilewright::checkpoint {
namespace {

std::string place(const std::string& origin, const Placed& p) {
  return fmt::format("at {}, tensor {}", origin, p.tensor.name);
}

void check_length(const Placed& p, uint64_t available, const std::string& origin) {
  const TensorView& t = p.tensor;
  if (p.begin > p.end || p.end > available)
    user_error("tensor-offset",
               fmt::format("tensor {} occupies bytes {} to {} of {}", t.name, p.begin, p.end,
                           available),
               place(origin, p), "every tensor must lie inside the data section of its file",
               "download the file again; it is truncated or its header is damaged");
  const auto needed = tensor_byte_count(t.type, t.shape);
  if (!needed || *needed != p.end - p.begin)
    user_error("tensor-bytes",
               fmt::format("tensor {} {} {} has {} bytes, but its shape needs {}", t.name,
                           shape_text(t.shape), stored_type_name(t.type), p.end - p.begin,
                           needed ? std::to_string(*needed) : "more than 62 bits can count"),
               place(origin, p), "the size of a tensor follows from its shape and element type",
               "download the file again; its header is damaged");
}

void check_unique(const std::vector<Placed>& placed, const std::string& origin) {
  std::unordered_set<std::string_view> names;
  for (const Placed& p : placed)
    if (!names.insert(p.tensor.name).second)
      user_error("tensor-twice", fmt::format("tensor {} is stored twice", p.tensor.name),
                 place(origin, p), "tensor names are unique", "write the file again");
}

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

std::optional<uint64_t> tensor_byte_count(DType type, const Shape& shape) {
  const auto count = checked_element_count(shape);
  const int64_t block = block_elements(type);
  if (!count || *count > (int64_t{1} << 60)) return std::nullopt;
  if (!shape.empty() && shape.back() % block != 0) return std::nullopt;
  if (shape.empty() && block != 1) return std::nullopt;
  return static_cast<uint64_t>(*count / block * block_bytes(type));
}

std::vector<TensorView> lay_out(std::vector<Placed> placed, std::span<const std::byte> data,
                                uint64_t alignment, const std::string& origin) {
  check_unique(placed, origin);
  for (const Placed& p : placed) check_length(p, data.size(), origin);

  std::vector<std::size_t> order(placed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(placed[i].begin, placed[i].end);
  });
  uint64_t end = 0;
  std::string before = "the start of the data";
  for (const std::size_t i : order) {
    const Placed& p = placed[i];
    const uint64_t expected = aligned(end, alignment);
    if (p.begin != expected)
      user_error("tensor-offset",
                 fmt::format("tensor {} begins at byte {}, {} {}, which ends at {}", p.tensor.name,
                             p.begin,
                             p.begin < expected ? "before the end of" : "after a gap that follows",
                             before, end),
                 place(origin, p), "tensors are stored one after another, without overlaps or gaps",
                 "download the file again; its header is damaged");
    end = p.end;
    before = p.tensor.name;
  }
  if (data.size() != end && data.size() != aligned(end, alignment))
    user_error("tensor-offset",
               fmt::format("{} bytes of data, but the tensors cover {}", data.size(), end),
               fmt::format("at {}, after tensor {}", origin, before),
               "every byte of the data section belongs to a tensor",
               "download the file again; it is incomplete or has extra bytes at its end");

  std::vector<TensorView> out;
  out.reserve(placed.size());
  for (Placed& p : placed) {
    p.tensor.bytes = data.subspan(p.begin, p.end - p.begin);
    out.push_back(std::move(p.tensor));
  }
  return out;
}

}  // namespace tilewright::checkpoint
