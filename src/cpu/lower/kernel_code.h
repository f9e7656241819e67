// A kernel of a plan as steps: every variable is a tile with an address, a view, or an argument.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/cpu/lower/operand.h"
#include "tilewright/cpu/bind/panels.h"
#include "tilewright/ir/uses.h"

namespace tilewright::cpu {

struct KernelCode {
  std::string name;
  std::unique_ptr<Step> body;
  // Views as a task finds them, before its arguments are put in: tiles at their addresses, all of
  // them valid. A tile that no statement has written holds whatever was there.
  struct Tile {
    std::size_t var;
    int64_t offset;
    Dims stride, shape;
  };
  std::vector<Tile> tiles;
  int64_t tile_bytes = 0;     // of Frame::tiles
  int64_t left_bytes = 0;     // of Frame::left
  int64_t scratch_bytes = 0;  // of Frame::scratch
  std::size_t variables = 0;  // of the program, and this kernel's own
};

// Steps from Kernel::lowered, whose instructions they may refer to.
KernelCode lower_kernel(const ir::Program& program, const ir::Kernel& kernel, const ir::Uses& uses,
                        const std::vector<PackedArg>& packed);

}  // namespace tilewright::cpu
