#include "tilewright/tokens/jinja/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "tilewright/base/diagnostic.h"

namespace tilewright::tokens::jinja {
namespace {

constexpr std::string_view kSpace = " \t\n\r\f\v";
// Longer ones first.
constexpr std::array<std::string_view, 25> kOperators{"**", "//", "==", "!=", "<=", ">=", "+",
                                                      "-",  "*",  "/",  "%",  "<",  ">",  "=",
                                                      "(",  ")",  "[",  "]",  "{",  "}",  ",",
                                                      ".",  ":",  "|",  "~"};

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(std::string_view source, const std::string& origin) : source_(source), origin_(origin) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      const std::size_t tag = next_tag();
      text(tag);
      if (tag < source_.size()) this->tag();
    }
    return std::move(tokens_);
  }

 private:
  std::size_t next_tag() const {
    for (std::size_t i = at_; i + 1 < source_.size(); ++i)
      if (source_[i] == '{' &&
          (source_[i + 1] == '%' || source_[i + 1] == '{' || source_[i + 1] == '#'))
        return i;
    return source_.size();
  }

  // The text up to `tag`, without what the tags at its two ends strip.
  void text(std::size_t tag) {
    std::string_view t = source_.substr(at_, tag - at_);
    if (strip_next_) t.remove_prefix(std::min(t.find_first_not_of(kSpace), t.size()));
    strip_next_ = false;
    if (tag < source_.size()) {
      const char mark = tag + 2 < source_.size() ? source_[tag + 2] : ' ';
      if (mark == '-') {
        t = t.substr(0, t.find_last_not_of(kSpace) + 1);
      } else if (source_[tag + 1] != '{' && mark != '+' && is_first_on_line(tag)) {
        t = t.substr(0, t.find_last_not_of(" \t") + 1);
      }
    }
    if (!t.empty()) tokens_.push_back({TokenKind::Text, std::string(t), line_});
    advance(tag);
  }

  bool is_first_on_line(std::size_t tag) const {
    std::size_t i = tag;
    while (i > 0 && (source_[i - 1] == ' ' || source_[i - 1] == '\t')) --i;
    return i == 0 || source_[i - 1] == '\n';
  }

  void advance(std::size_t to) {
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }

  void tag() {
    const char kind = source_[at_ + 1];
    if (kind == '#') {
      const std::size_t end = source_.find("#}", at_ + 2);
      if (end == std::string_view::npos) fail("a comment is not closed");
      close(end, '#');
      return;
    }
    tokens_.push_back({TokenKind::Begin, std::string(source_.substr(at_, 2)), line_});
    at_ += 2;
    if (at_ < source_.size() && (source_[at_] == '-' || source_[at_] == '+')) ++at_;
    const std::string ending = kind == '%' ? "%}" : "}}";
    int depth = 0;  // a }} inside a dict of dicts does not end the tag
    for (;;) {
      skip_space();
      if (at_ >= source_.size()) fail("a tag is not closed");
      const std::size_t sign = source_[at_] == '-' || source_[at_] == '+' ? 1 : 0;
      if (depth == 0 && source_.substr(at_ + sign, 2) == ending) {
        tokens_.push_back({TokenKind::End, ending, line_});
        close(at_ + sign, kind);
        return;
      }
      const char c = source_[at_];
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      token();
    }
  }

  // Past the two characters of the end of a tag at `end`, and what it strips behind it.
  void close(std::size_t end, char kind) {
    const char before = source_[end - 1];
    advance(end + 2);
    strip_next_ = before == '-';
    if (kind != '{' && before != '-' && before != '+' && at_ < source_.size() &&
        source_[at_] == '\n')
      advance(at_ + 1);
  }

  void skip_space() {
    const std::size_t next = std::min(source_.find_first_not_of(kSpace, at_), source_.size());
    advance(next);
  }

  void token() {
    const char c = source_[at_];
    if (c == '\'' || c == '"') return string(c);
    if (is_digit(c)) return number();
    if (is_name_char(c)) {
      std::size_t end = at_;
      while (end < source_.size() && is_name_char(source_[end])) ++end;
      return push(TokenKind::Name, end);
    }
    for (const std::string_view op : kOperators)
      if (source_.substr(at_).starts_with(op)) return push(TokenKind::Operator, at_ + op.size());
    fail(fmt::format("the character '{}' is not valid in a tag", c));
  }

  void push(TokenKind kind, std::size_t end) {
    tokens_.push_back({kind, std::string(source_.substr(at_, end - at_)), line_});
    at_ = end;
  }

  void number() {
    std::size_t end = at_;
    const auto digits = [&] {
      while (end < source_.size() && is_digit(source_[end])) ++end;
    };
    digits();
    const bool is_float =
        end + 1 < source_.size() && source_[end] == '.' && is_digit(source_[end + 1]);
    if (is_float) {
      ++end;
      digits();
    }
    push(is_float ? TokenKind::Float : TokenKind::Integer, end);
  }

  void string(char quote) {
    std::string out;
    const int line = line_;
    std::size_t i = at_ + 1;
    for (; i < source_.size() && source_[i] != quote; ++i) {
      if (source_[i] != '\\' || i + 1 >= source_.size()) {
        out += source_[i];
        continue;
      }
      static constexpr std::string_view kNames = "ntr\\'\"", kMeant = "\n\t\r\\'\"";
      const char c = source_[++i];
      if (const auto k = kNames.find(c); k != std::string_view::npos) {
        out += kMeant[k];
      } else if (c == 'x' || c == 'u' || c == 'U' || is_digit(c)) {
        fail(fmt::format("the escape \\{} in a string is not supported", c));
      } else {  // as Python has it
        out += '\\';
        out += c;
      }
    }
    if (i >= source_.size()) fail("a string is not closed");
    advance(i + 1);
    tokens_.push_back({TokenKind::String, std::move(out), line});
  }

  [[noreturn]] void fail(const std::string& what) const { template_error(what, origin_, line_); }

  std::string_view source_;
  const std::string& origin_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool strip_next_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view source, const std::string& origin) {
  std::string lines;  // line ends as Jinja sees them
  lines.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      lines += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      lines += source[i];
    }
  }
  if (lines.ends_with('\n')) lines.pop_back();
  return Lexer(lines, origin).run();
}

void template_error(const std::string& what, const std::string& origin, int line) {
  user_error("template", what, fmt::format("at {}:{} of the chat template", origin, line),
             "chat templates may use a subset of Jinja",
             "use the subset listed in docs/models.md, or replace chat_template.jinja");
}

}  // namespace tilewright::tokens::jinja
