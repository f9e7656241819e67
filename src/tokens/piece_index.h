// Pieces by their text: open addressing over strings that live elsewhere.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tokens {

class PieceIndex {
 public:
  PieceIndex() = default;
  // Empty pieces are left out; of equal ones the lowest id is kept. `pieces` must outlive the index
  // and keep its size.
  explicit PieceIndex(const std::vector<std::string>& pieces)
      : pieces_(&pieces), slots_(std::bit_ceil(pieces.size() * 2 + 1), -1) {
    for (std::size_t id = 0; id < pieces.size(); ++id)
      if (!pieces[id].empty()) {
        int32_t& slot = slots_[find_slot(pieces[id])];
        if (slot < 0) slot = static_cast<int32_t>(id);
      }
  }

  std::optional<int32_t> find(std::string_view piece) const {
    if (slots_.empty()) return std::nullopt;
    const int32_t id = slots_[find_slot(piece)];
    return id < 0 ? std::nullopt : std::optional(id);
  }

 private:
  std::size_t find_slot(std::string_view piece) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = std::hash<std::string_view>{}(piece)&mask;
    while (slots_[at] >= 0 && (*pieces_)[static_cast<std::size_t>(slots_[at])] != piece)
      at = (at + 1) & mask;
    return at;
  }

  const std::vector<std::string>* pieces_ = nullptr;
  std::vector<int32_t> slots_;
};

}  // namespace tilewright::tokens
