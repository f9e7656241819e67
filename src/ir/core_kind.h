// What a kernel runs on: a vector core, a cube core, or a cube core with its vector cores.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright::ir {

enum class CoreKind : uint8_t { Vector, Cube, Mixed };
std::string_view core_kind_name(CoreKind k);

}  // namespace tilewright::ir
