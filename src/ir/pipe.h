// The units that execute a kernel's instructions.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright::ir {

// The cube core or the vector cores of a cluster; every instruction belongs to one of them.
enum class CoreSide : uint8_t { Cube, Vector };
std::string_view core_side_name(CoreSide s);  // "cube"

// The units of a core that work side by side, each in program order.
enum class Pipe : uint8_t { Scalar, Mte2, Mte1, Cube, Fixpipe, Vector, Mte3 };
inline constexpr int kPipes = static_cast<int>(Pipe::Mte3) + 1;
std::string_view pipe_name(Pipe p);  // "MTE2"

// One number per pipe of either side.
inline constexpr int kUnits = 2 * kPipes;
constexpr int unit_of(CoreSide side, Pipe pipe) {
  return static_cast<int>(side) * kPipes + static_cast<int>(pipe);
}

}  // namespace tilewright::ir
