// The memories a value can live in. The language names them; a platform gives them sizes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

enum class MemorySpace : uint8_t { GM, Vec, Mat, Left, Right, Acc, Bias };

inline constexpr std::array<MemorySpace, 7> kMemorySpaces{
    MemorySpace::GM,   MemorySpace::Vec,   MemorySpace::Mat, MemorySpace::Left,
    MemorySpace::Right, MemorySpace::Acc, MemorySpace::Bias};

constexpr std::string_view memory_space_name(MemorySpace s) {
  switch (s) {
    case MemorySpace::GM: return "GM";
    case MemorySpace::Vec: return "Vec";
    case MemorySpace::Mat: return "Mat";
    case MemorySpace::Left: return "Left";
    case MemorySpace::Right: return "Right";
    case MemorySpace::Acc: return "Acc";
    case MemorySpace::Bias: return "Bias";
  }
  return "";
}

constexpr std::optional<MemorySpace> parse_memory_space(std::string_view name) {
  for (MemorySpace s : kMemorySpaces)
    if (memory_space_name(s) == name) return s;
  return std::nullopt;
}

// Which kind of core works in a memory; GM belongs to neither.
constexpr bool is_cube_space(MemorySpace s) {
  return s == MemorySpace::Mat || s == MemorySpace::Left || s == MemorySpace::Right ||
         s == MemorySpace::Acc || s == MemorySpace::Bias;
}

}  // namespace tilewright
