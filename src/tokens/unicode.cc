#include "tilewright/tokens/unicode.h"

#include <utf8proc.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "tilewright/base/check.h"
#include "tilewright/base/utf8.h"

namespace tilewright::tokens {
namespace {

bool is_white_space(int32_t code) {
  switch (code) {
    case 0x09:
    case 0x0A:
    case 0x0B:
    case 0x0C:
    case 0x0D:
    case 0x20:
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000: return true;
    default: return code >= 0x2000 && code <= 0x200A;
  }
}

CharClass looked_up(int32_t code) {
  if (code == '\r' || code == '\n') return CharClass::Newline;
  if (is_white_space(code)) return CharClass::Space;
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return CharClass::Letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return CharClass::Number;
    default: return CharClass::Other;
  }
}

constexpr std::size_t kTable = 0x800;  // all characters of one and two bytes

std::array<CharClass, kTable> make_table() {
  std::array<CharClass, kTable> table{};
  for (std::size_t i = 0; i < kTable; ++i) table[i] = looked_up(static_cast<int32_t>(i));
  return table;
}

// Characters below U+0300 neither combine nor decompose for good. Others stay as they are when they
// are not part of a composition in any role but the first. Conjoining vowels and finals of Hangul
// have no entry in the tables; they are composed by rule.
bool is_plain(int32_t code) {
  if (code < 0x300) return true;
  if (code >= 0x1160 && code <= 0x11FF) return false;
  const utf8proc_property_t* p = utf8proc_get_property(code);
  constexpr uint16_t kNone = UINT16_MAX, kSecond = 0x8000;
  return p->combining_class == 0 && p->decomp_seqindex == kNone &&
         (p->comb_index == kNone || p->comb_index < kSecond);
}

struct Free {
  void operator()(utf8proc_uint8_t* p) const { std::free(p); }
};

void append_nfc(std::string& out, std::string_view valid) {
  utf8proc_uint8_t* made = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                   static_cast<utf8proc_ssize_t>(valid.size()), &made,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, Free> owner(made);
  check(size >= 0, "NFC of valid UTF-8 failed");
  out.append(reinterpret_cast<const char*>(made), static_cast<std::size_t>(size));
}

}  // namespace

CharClass class_of(int32_t code) {
  static const std::array<CharClass, kTable> table = make_table();
  if (code < 0) return CharClass::Other;
  return static_cast<std::size_t>(code) < kTable ? table[static_cast<std::size_t>(code)]
                                                 : looked_up(code);
}

bool is_plainly_nfc(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0xCC) {  // lead bytes of U+0300 and above follow
      ++at;
      continue;
    }
    const Utf8Char c = decode_utf8(text, at);
    if (c.code >= 0 && !is_plain(c.code)) return false;
    at += c.size;
  }
  return true;
}

std::string nfc(std::string_view text) {
  std::string out;
  std::size_t copied = 0;  // up to here the text is in `out`
  std::size_t start = 0;   // of the last plain character or invalid byte
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (c.code < 0 || is_plain(c.code)) {
      start = at;
      at += c.size;
      continue;
    }
    // Characters that compose or reorder, with the plain one they belong to. The next plain one
    // begins something new, so that nothing beyond it can matter.
    if (decode_utf8(text, start).code < 0) start = at;
    std::size_t end = at;
    while (end < text.size()) {
      const Utf8Char next = decode_utf8(text, end);
      if (next.code < 0 || is_plain(next.code)) break;
      end += next.size;
    }
    out += text.substr(copied, start - copied);
    append_nfc(out, text.substr(start, end - start));
    copied = at = start = end;
  }
  out += text.substr(copied);
  return out;
}

}  // namespace tilewright::tokens
