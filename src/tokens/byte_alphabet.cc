#include "tilewright/tokens/byte_alphabet.h"

#include <array>

#include "tilewright/base/utf8.h"

namespace tilewright::tokens {
namespace {

constexpr uint32_t kFirstStandIn = 0x100;
constexpr std::size_t kCharacters = 0x100 + 68;

bool is_itself(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<uint32_t, 256> character{};
  std::array<int16_t, kCharacters> byte{};

  Alphabet() {
    byte.fill(-1);
    uint32_t next = kFirstStandIn;
    for (uint32_t b = 0; b < 256; ++b) {
      character[b] = is_itself(b) ? b : next++;
      byte[character[b]] = static_cast<int16_t>(b);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet all;
  return all;
}

}  // namespace

std::string character_of_byte(uint8_t byte) {
  std::string out;
  append_utf8(out, alphabet().character[byte]);
  return out;
}

std::optional<std::string> bytes_of_piece(std::string_view piece) {
  const Alphabet& a = alphabet();
  std::string out;
  for (std::size_t at = 0; at < piece.size();) {
    const Utf8Char c = decode_utf8(piece, at);
    const auto code = static_cast<std::size_t>(c.code);
    if (c.code < 0 || code >= kCharacters || a.byte[code] < 0) return std::nullopt;
    out += static_cast<char>(a.byte[code]);
    at += c.size;
  }
  return out;
}

}  // namespace tilewright::tokens
