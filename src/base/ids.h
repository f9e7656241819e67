// Strong ids: an index into one table that cannot be mixed up with an index into another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tilewright {

template <class Tag>
struct Id {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<uint32_t>(index)) {}
  constexpr std::size_t index() const { return value; }
  constexpr bool valid() const { return value != kNone; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace tilewright

template <class Tag>
struct std::hash<tilewright::Id<Tag>> {
  std::size_t operator()(tilewright::Id<Tag> id) const noexcept { return id.value; }
};
