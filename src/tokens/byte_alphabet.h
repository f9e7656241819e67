// Byte-level vocabularies write every byte as a printable character: printable ASCII and Latin-1 as
// themselves, the other 68 bytes as U+0100 and up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::tokens {

std::string character_of_byte(uint8_t byte);  // UTF-8
// The bytes that a piece stands for; nothing when a character is not of the alphabet.
std::optional<std::string> bytes_of_piece(std::string_view piece);

}  // namespace tilewright::tokens
