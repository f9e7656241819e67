#include "tilewright/golden/exact/core.h"

#include <algorithm>

#include "tilewright/base/check.h"

namespace tilewright::golden::exact {
namespace {

// Calls visit(first byte of a row, first element of the row in the tile) for every row of a block
// whose memory begins at byte `begin`. The elements of a row lie side by side.
template <class Visit>
void for_each_byte_row(const Location& at, const Block& block, int64_t begin, Visit visit) {
  check(at.ref.stride[at.rank() - 1] == 1, "a row of an on-chip value has gaps");
  for_each_row<2>(block.extent, {block.memory, block.tile}, [&](const auto& row) {
    visit(begin + (block.memory_at + row[0]) * at.element_bytes(), block.tile_at + row[1]);
  });
}

void set_poison(Tile& tile, int64_t element) {
  if (tile.floating())
    tile.f[element] = kPoison;
  else
    tile.i[element] = kPoisonInt;
}

}  // namespace

Core::Core(const ir::LoweredKernel& code) : code_(code) {
  std::map<int, int64_t> sizes;
  for (std::size_t s = 0; s < code.storage.size(); ++s) {
    const ByteRange last = bytes_of_copy(code, static_cast<int>(s), code.storage[s].copies - 1);
    sizes[last.memory] = std::max(sizes[last.memory], last.end);
  }
  for (const auto& [memory, size] : sizes) {
    const auto bytes = static_cast<std::size_t>(size);
    memories_[memory] = {std::vector<std::byte>(bytes), std::vector<uint32_t>(bytes, 0)};
  }
}

std::optional<Core::Foreign> Core::read(const Location& at, const Window& window,
                                        Tile& tile) const {
  const ByteRange copy = bytes_of_copy(code_, at.storage, at.copy);
  const Memory& memory = memories_.at(copy.memory);
  const Block block = block_of(at, window);
  load_elements(at.stored, memory.bytes.data() + copy.begin, block, tile);
  std::optional<Foreign> first;
  uint32_t right = UINT32_MAX;  // the write last found to be of this value
  const int64_t size = at.element_bytes();
  for_each_byte_row(at, block, copy.begin, [&](int64_t row, int64_t tile_at) {
    for (int64_t b = 0; b < block.extent.back() * size; ++b) {
      const uint32_t write = memory.writes[row + b];
      if (write == right) continue;
      if (writes_[write].value == at.value) {
        right = write;
        continue;
      }
      if (!first) first = Foreign{row + b, writes_[write]};
      set_poison(tile, tile_at + b / size);
    }
  });
  return first;
}

void Core::write(const Location& at, const Window& window, const Tile& tile, int instruction) {
  const ByteRange copy = bytes_of_copy(code_, at.storage, at.copy);
  Memory& memory = memories_.at(copy.memory);
  const Block block = block_of(at, window);
  store_elements(tile, block, at.stored, memory.bytes.data() + copy.begin, false);
  const auto id = static_cast<uint32_t>(writes_.size());
  writes_.push_back({instruction, at.value});
  for_each_byte_row(at, block, copy.begin, [&](int64_t row, int64_t) {
    std::fill_n(memory.writes.data() + row, block.extent.back() * at.element_bytes(), id);
  });
}

void Core::spoil(int storage, int instruction) {
  const ByteRange range = bytes_of_copy(code_, storage, 0);
  Memory& memory = memories_.at(range.memory);
  const auto id = static_cast<uint32_t>(writes_.size());
  writes_.push_back({instruction, 0});
  std::fill(memory.bytes.begin() + range.begin, memory.bytes.begin() + range.end,
            std::byte{kPoisonByte});
  std::fill(memory.writes.begin() + range.begin, memory.writes.begin() + range.end, id);
}

}  // namespace tilewright::golden::exact
