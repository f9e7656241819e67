// The memories of a core as bytes. Every byte remembers the write it is from, so that a reader can
// tell whether it finds the value it was meant to find.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tilewright/golden/exact/location.h"

namespace tilewright::golden::exact {

class Core {
 public:
  explicit Core(const ir::LoweredKernel& code);

  struct Write {
    int instruction = -1;  // -1: nobody has written there in this task
    int value = 0;
  };
  // A byte that is not of the value its reader expects.
  struct Foreign {
    int64_t byte = 0;
    Write last;
  };

  // The elements of a window into the same window of `tile`. Elements with a foreign byte become
  // poison; the first such byte is returned.
  std::optional<Foreign> read(const Location& at, const Window& window, Tile& tile) const;
  void write(const Location& at, const Window& window, const Tile& tile, int instruction);
  // Working space holds nothing after its instruction.
  void spoil(int storage, int instruction);

 private:
  struct Memory {
    std::vector<std::byte> bytes;
    std::vector<uint32_t> writes;  // by byte: index into writes_
  };

  const ir::LoweredKernel& code_;
  std::map<int, Memory> memories_;
  std::vector<Write> writes_{{}};
};

}  // namespace tilewright::golden::exact
