#include "tilewright/tokens/grammar/regex_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/base/utf8.h"
#include "tilewright/tokens/grammar/automaton.h"
#include "tilewright/tokens/grammar/strings.h"

namespace tilewright::tokens::grammar {
namespace {

constexpr uint32_t kMostRepeats = 10'000;
constexpr int kDeepest = 100;

using CodeRanges = std::vector<CodeRange>;

CodeRanges united(CodeRanges ranges) {
  std::ranges::sort(ranges);
  CodeRanges out;
  for (const CodeRange& r : ranges)
    if (!out.empty() && r.first <= out.back().second + 1)
      out.back().second = std::max(out.back().second, r.second);
    else
      out.push_back(r);
  return out;
}

CodeRanges complement(const CodeRanges& ranges) {
  CodeRanges out;
  int32_t next = 0;
  for (const auto& [low, high] : united(ranges)) {
    if (low > next) out.push_back({next, low - 1});
    next = high + 1;
  }
  if (next <= kLastCode) out.push_back({next, kLastCode});
  return out;
}

const CodeRanges kDigits{{'0', '9'}};
const CodeRanges kWord{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const CodeRanges kLineEnds{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};
// WhiteSpace and LineTerminator of ECMA-262.
const CodeRanges kSpace{{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680},
                        {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                        {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

class RegexParser {
 public:
  RegexParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Regex run() {
    Regex r = either();
    if (at_ < text_.size()) fail("a ) without its (");
    return r;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    user_error("schema-pattern",
               fmt::format("pattern {}: {} at character {}", quote(text_), what, at_ + 1), where_,
               "patterns are regular: classes, groups, |, *, +, ?, {n,m}, ^ and $",
               "rewrite the pattern without what is named here; docs/structured.md lists the rest");
  }

  bool end() const { return at_ == text_.size(); }
  bool here(char c) const { return !end() && text_[at_] == c; }
  bool take(char c) {
    if (!here(c)) return false;
    ++at_;
    return true;
  }
  int32_t character() {
    const Utf8Char c = decode_utf8(text_, at_);
    if (c.code < 0) fail("a byte that is not UTF-8");
    at_ += c.size;
    return c.code;
  }

  Regex either() {
    if (++depth_ > kDeepest) fail(fmt::format("groups are nested more than {} deep", kDeepest));
    Regex out{Regex::Kind::Either, {}, {sequence()}};
    while (take('|')) out.parts.push_back(sequence());
    --depth_;
    return out.parts.size() == 1 ? std::move(out.parts[0]) : out;
  }

  Regex sequence() {
    Regex out{Regex::Kind::Sequence, {}, {}};
    while (!end() && !here('|') && !here(')')) {
      Regex one = atom();
      out.parts.push_back(repeated(std::move(one)));
    }
    return out;
  }

  Regex repeated(Regex one) {
    uint32_t min = 0, max = kUnlimited;
    const std::size_t before = at_;
    if (take('*')) {
    } else if (take('+')) {
      min = 1;
    } else if (take('?')) {
      max = 1;
    } else if (here('{')) {
      if (!counts(min, max)) return one;
    } else {
      return one;
    }
    if (one.kind == Regex::Kind::Begin || one.kind == Regex::Kind::End) {
      at_ = before;
      fail("a repeated anchor");
    }
    take('?');  // a lazy repeat matches the same texts
    if (here('*') || here('+') || here('?') || here('{')) fail("a repeat of a repeat");
    return {Regex::Kind::Repeat, {}, {std::move(one)}, min, max};
  }

  bool counts(uint32_t& min, uint32_t& max) {
    ++at_;
    const auto number = [&]() -> std::optional<uint32_t> {
      if (end() || text_[at_] < '0' || text_[at_] > '9') return std::nullopt;
      uint32_t n = 0;
      for (; !end() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        n = n * 10 + static_cast<uint32_t>(text_[at_] - '0');
        if (n > kMostRepeats) fail(fmt::format("a count above {}", kMostRepeats));
      }
      return n;
    };
    const auto low = number();
    if (!low) fail("a { that begins no count; \\{ is the character");
    min = max = *low;
    if (take(',')) max = number().value_or(kUnlimited);
    if (!take('}')) fail("a { that begins no count; \\{ is the character");
    if (max < min) fail("a count that ends before it begins");
    return true;
  }

  static Regex of(CodeRanges ranges) { return {Regex::Kind::Class, united(std::move(ranges)), {}}; }

  Regex atom() {
    switch (text_[at_]) {
      case '^': ++at_; return {Regex::Kind::Begin, {}, {}};
      case '$': ++at_; return {Regex::Kind::End, {}, {}};
      case '.': ++at_; return of(complement(kLineEnds));
      case '(': return group();
      case '[': return set();
      case '\\': {
        ++at_;
        CodeRanges ranges;
        escape(ranges, false);
        return of(std::move(ranges));
      }
      case '*':
      case '+':
      case '?':
      case '{': fail("a repeat of nothing");
      case ']':
      case '}': fail(fmt::format("a {} without its beginning", text_[at_]));
      default: break;
    }
    const int32_t c = character();
    return of({{c, c}});
  }

  Regex group() {
    ++at_;
    if (take('?')) {
      if (take('<')) {
        if (here('=') || here('!')) fail("a look-behind");
        while (!end() && !here('>')) ++at_;
        if (!take('>')) fail("a group whose name does not end");
      } else if (here('=') || here('!')) {
        fail("a look-ahead");
      } else if (!take(':')) {
        fail("a group that is not (?:...)");
      }
    }
    Regex r = either();
    if (!take(')')) fail("a ( without its )");
    return r;
  }

  uint32_t hex(int digits) {
    uint32_t code = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      const char c = end() ? ' ' : text_[at_];
      const int v = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
      if (v < 0) fail(fmt::format("an escape with fewer than {} hexadecimal digits", digits));
      code = code * 16 + static_cast<uint32_t>(v);
    }
    return code;
  }

  int32_t unicode_escape() {
    if (take('{')) {
      uint32_t code = 0;
      const std::size_t first = at_;
      for (; !end() && !here('}'); code = code * 16 + hex(1))
        if (at_ - first >= 6) fail("a code point above 10FFFF");
      if (at_ == first || !take('}') || code > static_cast<uint32_t>(kLastCode))
        fail("a code point that is none");
      return static_cast<int32_t>(code);
    }
    const uint32_t high = hex(4);
    if (high < 0xD800 || high > 0xDFFF) return static_cast<int32_t>(high);
    if (high < 0xDC00 && take('\\') && take('u')) {
      const uint32_t low = hex(4);
      if (low >= 0xDC00 && low <= 0xDFFF)
        return static_cast<int32_t>(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
    }
    fail("a surrogate alone");
  }

  // Adds what the escape stands for; gives the character when it is one.
  std::optional<int32_t> escape(CodeRanges& ranges, bool in_set) {
    if (end()) fail("a backslash at the end");
    const auto all = [&](const CodeRanges& more) {
      ranges.insert(ranges.end(), more.begin(), more.end());
      return std::nullopt;
    };
    const auto one = [&](int32_t c) {
      ranges.push_back({c, c});
      return c;
    };
    const char c = text_[at_];
    switch (c) {
      case 'd': ++at_; return all(kDigits);
      case 'D': ++at_; return all(complement(kDigits));
      case 'w': ++at_; return all(kWord);
      case 'W': ++at_; return all(complement(kWord));
      case 's': ++at_; return all(kSpace);
      case 'S': ++at_; return all(complement(kSpace));
      case 't': ++at_; return one('\t');
      case 'n': ++at_; return one('\n');
      case 'r': ++at_; return one('\r');
      case 'f': ++at_; return one('\f');
      case 'v': ++at_; return one('\v');
      case 'x': ++at_; return one(static_cast<int32_t>(hex(2)));
      case 'u': ++at_; return one(unicode_escape());
      case 'b':
        if (in_set) {
          ++at_;
          return one('\b');
        }
        [[fallthrough]];
      case 'B': fail("a word boundary");
      case 'p':
      case 'P': fail("a property of Unicode");
      case 'k': fail("a reference to a group");
      case 'c': fail("a control escape");
      case '0':
        ++at_;
        if (!end() && text_[at_] >= '0' && text_[at_] <= '9') fail("an octal escape");
        return one(0);
      default: break;
    }
    if (c >= '1' && c <= '9') fail("a reference to a group");
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      fail(fmt::format("the unknown escape \\{}", c));
    return one(character());
  }

  // One character of a set, or a class (nothing).
  std::optional<int32_t> set_member(CodeRanges& ranges) {
    if (take('\\')) return escape(ranges, true);
    const int32_t c = character();
    ranges.push_back({c, c});
    return c;
  }

  Regex set() {
    ++at_;
    const bool negated = take('^');
    CodeRanges ranges;
    while (!here(']')) {
      if (end()) fail("a [ without its ]");
      const auto first = set_member(ranges);
      if (!here('-') || at_ + 1 >= text_.size() || text_[at_ + 1] == ']') continue;
      ++at_;
      const auto last = set_member(ranges);
      if (!first || !last) fail("a range with a class at its end");
      if (*last < *first) fail("a range that ends before it begins");
      ranges.push_back({*first, *last});
    }
    ++at_;
    return of(negated ? complement(ranges) : std::move(ranges));
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Regex parse_regex(std::string_view text, const std::string& where) {
  return RegexParser(text, where).run();
}

}  // namespace tilewright::tokens::grammar
