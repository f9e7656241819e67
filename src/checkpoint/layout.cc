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
               fmt::format("tensor {} lies at bytes {} to {} of {}", t.name, p.begin, p.end,
                           available),
               place(origin, p), "every tensor lies inside the data part of its file",
               "fetch the file again; it is cut short or its header is damaged");
  const auto needed = tensor_byte_count(t.type, t.shape);
  if (!needed || *needed != p.end - p.begin)
    user_error("tensor-bytes",
               fmt::format("tensor {} {} {} has {} bytes, its shape needs {}", t.name,
                           shape_text(t.shape), stored_type_name(t.type), p.end - p.begin,
                           needed ? std::to_string(*needed) : "more than can be counted"),
               place(origin, p), "a tensor has the bytes of its shape and element type, no more",
               "fetch the file again; its header is damaged");
}

void check_unique(const std::vector<Placed>& placed, const std::string& origin) {
  std::unordered_set<std::string_view> names;
  for (const Placed& p : placed)
    if (!names.insert(p.tensor.name).second)
      user_error("tensor-twice", fmt::format("tensor {} is there twice", p.tensor.name),
                 place(origin, p), "a name means one tensor", "write the file again");
}

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

std::optional<uint64_t> tensor_byte_count(StoredType type, const Shape& shape) {
  const auto count = checked_element_count(shape);
  const int64_t block = elements_per_block(type);
  if (!count || *count > (int64_t{1} << 60)) return std::nullopt;
  if (!shape.empty() && shape.back() % block != 0) return std::nullopt;
  if (shape.empty() && block != 1) return std::nullopt;
  return static_cast<uint64_t>(*count / block * bytes_per_block(type));
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
                             p.begin < expected ? "inside or before the end of"
                                                : "behind a gap after",
                             before, end),
                 place(origin, p), "tensors follow one another without overlap and without holes",
                 "fetch the file again; its header is damaged");
    end = p.end;
    before = p.tensor.name;
  }
  if (data.size() != end && data.size() != aligned(end, alignment))
    user_error("tensor-offset",
               fmt::format("{} bytes of data, of which the tensors fill {}", data.size(), end),
               fmt::format("at {}, after tensor {}", origin, before),
               "every byte of the data part belongs to a tensor",
               "fetch the file again; it was written only in part, or has something appended");

  std::vector<TensorView> out;
  out.reserve(placed.size());
  for (Placed& p : placed) {
    p.tensor.bytes = data.subspan(p.begin, p.end - p.begin);
    out.push_back(std::move(p.tensor));
  }
  return out;
}

}  // namespace tilewright::checkpoint
