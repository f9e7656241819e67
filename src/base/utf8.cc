#include "tilewright/base/utf8.h"

#include <algorithm>

namespace tilewright {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Length of a character by its first byte; 0 for bytes that begin none.
uint32_t length_by_lead(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// The second byte rules out overlong forms, surrogates and values that are too large.
bool second_fits(unsigned lead, unsigned second) {
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= low && second <= high;
}

}  // namespace

Utf8Char decode_utf8(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return {static_cast<int32_t>(lead), 1};
  const uint32_t size = length_by_lead(lead);
  if (size == 0 || text.size() - at < size || !second_fits(lead, byte_at(text, at + 1))) return {};
  uint32_t code = lead & (0x7Fu >> size);
  for (uint32_t i = 1; i < size; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3F);
  }
  return {static_cast<int32_t>(code), size};
}

void append_utf8(std::string& out, uint32_t code) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  const auto tail = [&](int shift) { put(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    put(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (c.code < 0) return false;
    at += c.size;
  }
  return true;
}

std::size_t unfinished_utf8(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const unsigned lead = byte_at(text, text.size() - back);
    if ((lead & 0xC0) == 0x80) continue;
    const bool waits = length_by_lead(lead) > back &&
                       (back == 1 || second_fits(lead, byte_at(text, text.size() - back + 1)));
    return waits ? back : 0;
  }
  return 0;
}

}  // namespace tilewright
