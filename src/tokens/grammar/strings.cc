#include "tilewright/tokens/grammar/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "tilewright/base/utf8.h"

namespace tilewright::tokens::grammar {
namespace {

using Node = Nfa::Node;

constexpr int32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

std::string spelled_character(int32_t code) {
  switch (code) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  if (code < 0x20) return fmt::format("\\u{:04x}", code);
  std::string out;
  append_utf8(out, static_cast<uint32_t>(code));
  return out;
}

// Well-formed UTF-8 of more than one byte, as ranges of bytes (Unicode, table 3-7).
struct Utf8Form {
  std::array<std::pair<uint8_t, uint8_t>, 4> bytes;
  std::size_t size;
};
constexpr std::array<Utf8Form, 8> kUtf8{{
    {{{{0xC2, 0xDF}, {0x80, 0xBF}}}, 2},
    {{{{0xE0, 0xE0}, {0xA0, 0xBF}, {0x80, 0xBF}}}, 3},
    {{{{0xE1, 0xEC}, {0x80, 0xBF}, {0x80, 0xBF}}}, 3},
    {{{{0xED, 0xED}, {0x80, 0x9F}, {0x80, 0xBF}}}, 3},
    {{{{0xEE, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}}}, 3},
    {{{{0xF0, 0xF0}, {0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}}, 4},
    {{{{0xF1, 0xF3}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}}, 4},
    {{{{0xF4, 0xF4}, {0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}}}, 4},
}};

// The characters that stand for themselves, closing quote and backslash left out.
constexpr std::array<std::pair<uint8_t, uint8_t>, 3> kPlainAscii{
    {{0x20, 0x21}, {0x23, 0x5B}, {0x5D, 0x7F}}};

using ByteRanges = std::vector<std::pair<char, char>>;

// One byte of each step, in order; the last one counts.
void add_counted(Nfa& nfa, Node from, Node to, const std::vector<ByteRanges>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    const Node next = last ? to : nfa.add();
    for (const auto& [low, high] : steps[i])
      nfa.edge(from, next, static_cast<uint8_t>(low), static_cast<uint8_t>(high), Guard::None,
               last);
    from = next;
  }
}

// Behind "\u": a code point, or a pair of surrogates. A surrogate alone is no character.
void add_unicode_escape(Nfa& nfa, Node from, Node to) {
  const ByteRanges hex{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, d{{'D', 'D'}, {'d', 'd'}};
  const ByteRanges not_d{{'0', '9'}, {'A', 'C'}, {'E', 'F'}, {'a', 'c'}, {'e', 'f'}};
  const ByteRanges high{{'8', '9'}, {'A', 'B'}, {'a', 'b'}}, low{{'C', 'F'}, {'c', 'f'}};
  add_counted(nfa, from, to, {not_d, hex, hex, hex});
  add_counted(nfa, from, to, {d, {{'0', '7'}}, hex, hex});
  add_counted(nfa, from, to, {d, high, hex, hex, {{'\\', '\\'}}, {{'u', 'u'}}, d, low, hex, hex});
}

// Characters of more than one byte from `from` to `to`.
void add_wide_characters(Nfa& nfa, Node from, Node to, Guard first, bool counts) {
  for (const Utf8Form& form : kUtf8) {
    Node at = from;
    for (std::size_t i = 0; i < form.size; ++i) {
      const bool last = i + 1 == form.size;
      const Node next = last ? to : nfa.add();
      nfa.edge(at, next, form.bytes[i].first, form.bytes[i].second, i == 0 ? first : Guard::None,
               last && counts);
      at = next;
    }
  }
}

// The UTF-8 of code points that all have the same number of bytes. Ranges are split until every
// byte of a range varies on its own.
void add_utf8_range(Nfa& nfa, Node from, Node to, int32_t low, int32_t high) {
  for (int shift = 6; shift <= 18; shift += 6) {
    const int32_t below = (1 << shift) - 1;  // the bits of the last bytes
    if ((low & ~below) == (high & ~below)) break;
    int32_t cut = 0;  // where the second half begins
    if ((low & below) != 0) {
      cut = (low | below) + 1;
    } else if ((high & below) != below) {
      cut = high & ~below;
    } else {
      continue;
    }
    add_utf8_range(nfa, from, to, low, cut - 1);
    add_utf8_range(nfa, from, to, cut, high);
    return;
  }
  std::string a, b;
  append_utf8(a, static_cast<uint32_t>(low));
  append_utf8(b, static_cast<uint32_t>(high));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Node next = i + 1 == a.size() ? to : nfa.add();
    nfa.edge(from, next, static_cast<uint8_t>(a[i]), static_cast<uint8_t>(b[i]));
    from = next;
  }
}

}  // namespace

std::string spelled(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    out += c.code < 0 ? std::string(1, text[at]) : spelled_character(c.code);
    at += c.size;
  }
  return out;
}

std::string spelled_string(std::string_view text) { return '"' + spelled(text) + '"'; }

void add_characters(Nfa& nfa, Node from, Node to, int32_t low, int32_t high) {
  if (low <= kLastSurrogate && high >= kFirstSurrogate) {
    if (low < kFirstSurrogate) add_characters(nfa, from, to, low, kFirstSurrogate - 1);
    if (high > kLastSurrogate) add_characters(nfa, from, to, kLastSurrogate + 1, high);
    return;
  }
  const auto escaped = [](int32_t c) { return c < 0x20 || c == '"' || c == '\\'; };
  for (int32_t c = low; c <= std::min(high, int32_t{0x7F}); ++c) {
    if (escaped(c)) {
      const std::string text = spelled_character(c);
      const Node last = nfa.text(from, std::string_view(text).substr(0, text.size() - 1));
      nfa.edge(last, to, static_cast<uint8_t>(text.back()), static_cast<uint8_t>(text.back()));
      continue;
    }
    int32_t end = c;
    while (end + 1 <= std::min(high, int32_t{0x7F}) && !escaped(end + 1)) ++end;
    nfa.edge(from, to, static_cast<Symbol>(c), static_cast<Symbol>(end));
    c = end;
  }
  // By the number of bytes.
  for (const auto& [first, last] : {std::pair{0x80, 0x7FF}, {0x800, 0xFFFF}, {0x10000, kLastCode}})
    if (low <= last && high >= first)
      add_utf8_range(nfa, from, to, std::max(low, first), std::min(high, last));
}

void add_any_string(Nfa& nfa) {
  const Node inside = nfa.start(), closed = nfa.add(), escape = nfa.add(), unicode = nfa.add();
  nfa.accept(closed);
  nfa.edge(inside, closed, '"', '"', Guard::Enough);
  for (const auto& [low, high] : kPlainAscii)
    nfa.edge(inside, inside, low, high, Guard::More, true);
  add_wide_characters(nfa, inside, inside, Guard::More, true);
  nfa.edge(inside, escape, '\\', '\\', Guard::More);
  for (const char c : std::string_view("\"\\/bfnrt"))
    nfa.edge(escape, inside, static_cast<uint8_t>(c), static_cast<uint8_t>(c), Guard::None, true);
  nfa.edge(escape, unicode, 'u', 'u');
  add_unicode_escape(nfa, unicode, inside);
}

// A tree of the texts, character by character; where a text leaves the tree, anything may follow.
void add_string_except(Nfa& nfa, const std::vector<std::string>& except) {
  struct Branch {
    Node node = 0;
    std::map<int32_t, std::size_t> children;  // by character
    bool whole = false;                       // a text of `except` ends here
  };
  std::vector<Branch> tree{{nfa.start(), {}, false}};
  for (const std::string& text : except) {
    std::size_t branch = 0;
    for (std::size_t at = 0; at < text.size();) {
      const Utf8Char c = decode_utf8(text, at);
      at += c.size;
      const auto [child, is_new] = tree[branch].children.try_emplace(c.code, tree.size());
      branch = child->second;
      if (is_new) tree.push_back({nfa.add(), {}, false});
    }
    tree[branch].whole = true;
  }

  constexpr int32_t kFirstWide = 0x80;
  const Node free = nfa.add(), wide = nfa.add(), closed = nfa.add();
  nfa.accept(closed);
  nfa.edge(free, closed, '"', '"');
  add_characters(nfa, free, free, 0, kLastCode);
  add_characters(nfa, wide, free, kFirstWide, kLastCode);
  for (const Branch& b : tree) {
    if (!b.whole) nfa.edge(b.node, closed, '"', '"');
    int32_t next = 0;
    for (const auto& [c, child] : b.children) {
      if (c > next) add_characters(nfa, b.node, free, next, c - 1);
      add_characters(nfa, b.node, tree[child].node, c, c);
      next = c + 1;
    }
    if (next < kFirstWide) {  // most names are ASCII
      add_characters(nfa, b.node, free, next, kFirstWide - 1);
      nfa.empty(b.node, wide);
    } else {
      add_characters(nfa, b.node, free, next, kLastCode);
    }
  }
}

}  // namespace tilewright::tokens::grammar
