#include "tilewright/tokens/pattern.h"

#include "tilewright/base/utf8.h"
#include "tilewright/tokens/unicode.h"

namespace tilewright::tokens {
namespace {

constexpr std::string_view kQwen2 =
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re";
constexpr std::string_view kLlama3 =
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re";
constexpr std::string_view kGpt2 =
    R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re";

struct Char {
  CharClass kind = CharClass::Other;
  std::size_t end = 0;
};

bool is_space(CharClass c) { return c == CharClass::Space || c == CharClass::Newline; }

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  Char at(std::size_t i) const {
    const Utf8Char c = decode_utf8(text_, i);
    return {class_of(c.code), i + c.size};
  }
  bool inside(std::size_t i) const { return i < text_.size(); }
  bool is(std::size_t i, CharClass kind) const { return inside(i) && at(i).kind == kind; }

  std::size_t run(std::size_t i, CharClass kind) const {
    while (inside(i)) {
      const Char c = at(i);
      if (c.kind != kind) break;
      i = c.end;
    }
    return i;
  }
  // \p{N}{1,3} and the like, from a number.
  std::size_t digits(std::size_t i, int most) const {
    for (int n = 0; n < most && is(i, CharClass::Number); ++n) i = at(i).end;
    return i;
  }
  // 's|'t|'re|'ve|'m|'ll|'d; the end, or nothing. Ignoring case, the long s is an s.
  std::optional<std::size_t> contraction(std::size_t i, bool ignore_case) const {
    if (text_[i] != '\'' || !inside(i + 1)) return std::nullopt;
    const auto letter = [&](std::size_t k) {
      const char c = inside(k) ? text_[k] : '\0';
      return ignore_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    const char a = letter(i + 1), b = letter(i + 2);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return i + 2;
    if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l')) return i + 3;
    if (ignore_case && text_.substr(i + 1, 2) == "\xC5\xBF") return i + 3;
    return std::nullopt;
  }
  // \s+(?!\S)|\s+ : all but the last of the spaces before something, all of them at the end.
  std::size_t spaces(std::size_t begin) const {
    std::size_t last = begin, i = begin;
    while (inside(i)) {
      const Char c = at(i);
      if (!is_space(c.kind)) return last > begin ? last : i;
      last = i;
      i = c.end;
    }
    return i;
  }
  // \s*[\r\n]+ : through the last line end of the run of spaces, or nothing.
  std::optional<std::size_t> lines(std::size_t i) const {
    std::optional<std::size_t> end;
    while (inside(i)) {
      const Char c = at(i);
      if (!is_space(c.kind)) break;
      i = c.end;
      if (c.kind == CharClass::Newline) end = i;
    }
    return end;
  }

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

std::size_t gpt2_end(const Words& w, std::size_t at) {
  if (const auto end = w.contraction(at, false)) return *end;
  const std::size_t begin = w.text()[at] == ' ' && w.inside(at + 1) ? at + 1 : at;
  const Char c = w.at(begin);
  if (!is_space(c.kind)) return w.run(c.end, c.kind);
  return w.spaces(at);
}

// Spaces before a digit are the end of a text.
std::size_t smollm_end(const Words& w, std::size_t at) {
  const Char c = w.at(at);
  if (c.kind == CharClass::Number) return c.end;
  std::size_t end = at;
  while (w.inside(end) && is_space(w.at(end).kind)) end = w.at(end).end;
  return end > at && w.is(end, CharClass::Number) ? end : gpt2_end(w, at);
}

std::size_t qwen2_end(const Words& w, std::size_t at, int digits) {
  if (const auto end = w.contraction(at, true)) return *end;
  const Char c = w.at(at);
  if (c.kind == CharClass::Letter) return w.run(c.end, CharClass::Letter);
  if (c.kind == CharClass::Number) return w.digits(at, digits);
  if (c.kind != CharClass::Newline && w.is(c.end, CharClass::Letter))
    return w.run(c.end, CharClass::Letter);
  const std::size_t begin = w.text()[at] == ' ' ? at + 1 : at;
  if (w.is(begin, CharClass::Other))
    return w.run(w.run(begin, CharClass::Other), CharClass::Newline);
  if (const auto end = w.lines(at)) return *end;
  return w.spaces(at);
}

}  // namespace

std::optional<Pattern> find_pattern(std::string_view regex) {
  if (regex == kQwen2) return Pattern::Qwen2;
  if (regex == kLlama3) return Pattern::Llama3;
  if (regex == kGpt2) return Pattern::Gpt2;
  return std::nullopt;
}

std::size_t word_end(Pattern pattern, std::string_view text, std::size_t at) {
  const Words w(text);
  switch (pattern) {
    case Pattern::Whole: return text.size();
    case Pattern::Gpt2: return gpt2_end(w, at);
    case Pattern::SmolLm: return smollm_end(w, at);
    case Pattern::Qwen2: return qwen2_end(w, at, 1);
    case Pattern::Llama3: return qwen2_end(w, at, 3);
  }
  return text.size();
}

}  // namespace tilewright::tokens
