#include <fmt/format.h>

#include <array>
#include <cctype>

#include "tilewright/frontend/parse/token.h"

namespace tilewright::frontend {
namespace {

constexpr std::size_t kMaxBrackets = 100;
constexpr std::size_t kMaxIndents = 100;

constexpr std::array<std::string_view, 5> kThree{"...", "**=", "//=", "<<=", ">>="};
constexpr std::array<std::string_view, 19> kTwo{"**", "//", "==", "!=", "<=", ">=", "->",
                                                ":=", "+=", "-=", "*=", "/=", "%=", "&=",
                                                "|=", "^=", "@=", "<<", ">>"};
constexpr std::string_view kOne = "+-*/%@=<>()[]{},:.;~^&|";

bool starts_name(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalpha(u) || c == '_' || u >= 0x80;
}
bool in_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Word processors and web pages write these. What Python has in place of the first character of
// `text`; empty when it is none of them.
std::string_view typographic(std::string_view text) {
  struct Mistaken {
    std::string_view utf8, meant;
  };
  constexpr std::array<Mistaken, 9> kMistaken{{{"\xE2\x80\x9C", "\""},
                                               {"\xE2\x80\x9D", "\""},
                                               {"\xE2\x80\x98", "'"},
                                               {"\xE2\x80\x99", "'"},
                                               {"\xE2\x80\x93", "-"},
                                               {"\xE2\x80\x94", "-"},
                                               {"\xE2\x88\x92", "-"},
                                               {"\xC3\x97", "*"},
                                               {"\xC2\xA0", "a space"}}};
  for (const Mistaken& m : kMistaken)
    if (text.starts_with(m.utf8)) return m.meant;
  return {};
}

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}
  // A part of the file that stands inside brackets: line ends mean nothing.
  Lexer(const Source& source, std::string_view part, At at)
      : source_(source), text_(part), at_(at), at_line_start_(false), part_(true) {}

  Tokens run() {
    while (position_ < text_.size()) {
      if (at_line_start_ && brackets_.empty()) {
        indentation();
        if (position_ >= text_.size()) break;
      }
      token();
    }
    finish();
    return std::move(out_);
  }

 private:
  struct Open {
    char bracket;
    At at;
  };

  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  bool starts_with(std::string_view word) const {
    return text_.compare(position_, word.size(), word) == 0;
  }
  [[noreturn]] void fail(At at, std::string what, std::string help) const {
    refuse(source_.place(at), "syntax", std::move(what), "a program file is written in Python",
           std::move(help));
  }

  void step() {
    if (text_[position_] == '\n') {
      ++at_.line;
      at_.column = 1;
    } else if ((static_cast<unsigned char>(text_[position_]) & 0xC0) != 0x80) {
      ++at_.column;
    }
    ++position_;
  }
  void advance(std::size_t bytes) {
    for (; bytes > 0; --bytes) step();
  }

  void add(TokenKind kind, std::size_t begin, At at) {
    out_.list.push_back({kind, text_.substr(begin, position_ - begin), at});
  }
  void mark(TokenKind kind) { out_.list.push_back({kind, {}, at_}); }

  // The start of a logical line: blank lines and comments do not count.
  void indentation() {
    std::size_t width = 0;
    for (;;) {
      width = 0;
      while (peek() == ' ' || peek() == '\t' || peek() == '\f') {
        if (peek() == '\t') tab_ = tab_.line == at_.line ? tab_ : at_;
        width = peek() == '\f' ? 0 : width + 1;
        step();
      }
      if (peek() == '#') comment();
      if (peek() != '\n') break;
      step();
    }
    if (position_ >= text_.size()) return;
    if (tab_.line == at_.line)
      fail(tab_, "a tab in the indentation", "indent with spaces; a tab has no fixed width");
    at_line_start_ = false;
    if (width > indents_.back()) {
      if (indents_.size() >= kMaxIndents)
        fail(at_, fmt::format("blocks nested more than {} deep", kMaxIndents - 1),
             "move the inner part into a function");
      indents_.push_back(width);
      mark(TokenKind::Indent);
    }
    while (width < indents_.back()) {
      indents_.pop_back();
      if (width > indents_.back())
        fail(at_, fmt::format("indentation of {} matches no open block", width),
             "align the line with the block it belongs to");
      mark(TokenKind::Dedent);
    }
  }

  void token() {
    const char c = peek();
    if (c == '\n') return line_end();
    if (c == ' ' || c == '\t' || c == '\f') return step();
    if (c == '#') return comment();
    if (c == '\\') return continuation();
    if (string_prefix() >= 0) return string();
    if (const auto meant = typographic(text_.substr(position_)); !meant.empty())
      fail(at_, "a typographic character, which Python does not know",
           fmt::format("write {} in its place", meant));
    if (starts_name(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    operator_token();
  }

  void line_end() {
    if (brackets_.empty() && !part_) {
      mark(TokenKind::Newline);
      at_line_start_ = true;
    }
    step();
  }

  void continuation() {
    if (peek(1) != '\n') fail(at_, "a backslash inside a line", "a backslash joins two lines");
    advance(2);
  }

  void comment() {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    std::string_view body = text_.substr(position_ + 1, end - position_ - 1);
    constexpr std::string_view kMark = " tilewright: ";
    if (body.starts_with(kMark))
      out_.directives.push_back({at_.line, std::string(body.substr(kMark.size()))});
    advance(end - position_);
  }

  // Length of the letters before a quote, or -1 when this is no string.
  int string_prefix() const {
    int n = 0;
    while (n < 2 && std::string_view("rRbBfFuU").find(peek(static_cast<std::size_t>(n))) !=
                        std::string_view::npos)
      ++n;
    const char quote = peek(static_cast<std::size_t>(n));
    return quote == '"' || quote == '\'' ? n : -1;
  }

  void string() {
    const At start = at_;
    const std::size_t begin = position_;
    advance(static_cast<std::size_t>(string_prefix()));
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    advance(triple ? 3 : 1);
    for (;;) {
      if (position_ >= text_.size() || (!triple && peek() == '\n'))
        fail(start, "a string without an end", "close the quotes");
      if (peek() == '\\' && position_ + 1 < text_.size()) {
        advance(2);  // also in raw strings a backslash keeps the quote after it
        continue;
      }
      if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote))) break;
      step();
    }
    advance(triple ? 3 : 1);
    add(TokenKind::String, begin, start);
  }

  void name() {
    const At start = at_;
    const std::size_t begin = position_;
    while (in_name(peek()) && typographic(text_.substr(position_)).empty()) step();
    add(TokenKind::Name, begin, start);
  }

  // Digits, a point, an exponent, or a base prefix; what follows is checked when it is read.
  void number() {
    const At start = at_;
    const std::size_t begin = position_;
    const bool based = peek() == '0' && std::isalpha(static_cast<unsigned char>(peek(1))) &&
                       peek(1) != 'e' && peek(1) != 'E' && peek(1) != 'j';
    while (in_name(peek()) || peek() == '.') {
      const bool exponent = !based && (peek() == 'e' || peek() == 'E');
      step();
      if (exponent && (peek() == '+' || peek() == '-')) step();
    }
    add(TokenKind::Number, begin, start);
  }

  void operator_token() {
    const At start = at_;
    const std::size_t begin = position_;
    for (std::string_view op : kThree)
      if (starts_with(op)) return advance(3), add(TokenKind::Operator, begin, start);
    for (std::string_view op : kTwo)
      if (starts_with(op)) return advance(2), add(TokenKind::Operator, begin, start);
    const char c = peek();
    if (kOne.find(c) == std::string_view::npos)
      fail(at_, fmt::format("unexpected character '{}'", c), "remove it, or put it in quotes");
    if (c == '(' || c == '[' || c == '{') open(c);
    if (c == ')' || c == ']' || c == '}') close(c);
    step();
    add(TokenKind::Operator, begin, start);
  }

  void open(char c) {
    if (brackets_.size() >= kMaxBrackets)
      fail(at_, fmt::format("brackets nested more than {} deep", kMaxBrackets),
           "name the inner parts first");
    brackets_.push_back({c, at_});
  }

  void close(char c) {
    const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (brackets_.empty())
      fail(at_, fmt::format("'{}' without '{}'", c, wanted), "remove it, or open the bracket");
    const Open last = brackets_.back();
    if (last.bracket != wanted)
      fail(at_,
           fmt::format("'{}' closes '{}' of {}:{}", c, last.bracket, last.at.line, last.at.column),
           "close brackets in the order they were opened");
    brackets_.pop_back();
  }

  void finish() {
    if (!brackets_.empty())
      fail(brackets_.back().at, fmt::format("'{}' is never closed", brackets_.back().bracket),
           "close the bracket");
    if (!at_line_start_) mark(TokenKind::Newline);
    for (; indents_.size() > 1; indents_.pop_back()) mark(TokenKind::Dedent);
    mark(TokenKind::End);
  }

  const Source& source_;
  std::string_view text_;
  std::size_t position_ = 0;
  At at_{1, 1};
  At tab_;  // the first tab in the indentation of the current line
  bool at_line_start_ = true;
  bool part_ = false;
  std::vector<std::size_t> indents_{0};
  std::vector<Open> brackets_;
  Tokens out_;
};

}  // namespace

Tokens tokenize(const Source& source) { return Lexer(source).run(); }

std::vector<Token> tokenize_part(const Source& source, std::string_view part, At at) {
  return Lexer(source, part, at).run().list;
}

}  // namespace tilewright::frontend
