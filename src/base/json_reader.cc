#include "tilewright/base/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/utf8.h"

namespace tilewright {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string JsonReader::place() const {
  const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
  return fmt::format("at {}:{}", origin_, 1 + std::count(before.begin(), before.end(), '\n'));
}

void JsonReader::fail(const std::string& what) const {
  user_error("json", what, place(),
             "the file must be JSON (RFC 8259) with the fields of its file type",
             "download or regenerate the file; it is truncated, modified, or of another type");
}

void JsonReader::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

char JsonReader::next_char() {
  skip_space();
  if (at_ == text_.size()) fail("the JSON text ends unexpectedly");
  return text_[at_];
}

void JsonReader::expect(char c, const char* what) {
  if (next_char() != c) fail(fmt::format("{} is expected here", what));
  ++at_;
}

Json::Kind JsonReader::peek() {
  switch (const char c = next_char()) {
    case '{': return Json::Kind::Object;
    case '[': return Json::Kind::Array;
    case '"': return Json::Kind::String;
    case 't':
    case 'f': return Json::Kind::Bool;
    case 'n': return Json::Kind::Null;
    default:
      if (c != '-' && !is_digit(c)) fail("a JSON value is expected here");
      return Json::Kind::Number;
  }
}

void JsonReader::open(char c, bool object) {
  expect(c, object ? "an object" : "an array");
  if (open_.size() == kMaxJsonDepth)
    fail(fmt::format("JSON is nested more than {} deep", kMaxJsonDepth));
  open_.push_back({object, true});
}

void JsonReader::begin_object() { open('{', true); }
void JsonReader::begin_array() { open('[', false); }

std::optional<std::string_view> JsonReader::next_key() {
  if (next_char() == '}') {
    ++at_;
    open_.pop_back();
    return std::nullopt;
  }
  if (!open_.back().first) expect(',', "a comma");
  open_.back().first = false;
  const std::string_view key = string();
  expect(':', "a colon");
  return key;
}

bool JsonReader::next_item() {
  if (next_char() == ']') {
    ++at_;
    open_.pop_back();
    return false;
  }
  if (!open_.back().first) expect(',', "a comma");
  open_.back().first = false;
  return true;
}

std::string_view JsonReader::string() {
  expect('"', "a string");
  const std::size_t begin = at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') return text_.substr(begin, at_++ - begin);
    if (c == '\\' || static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x80)
      return unescaped(begin);
  }
  fail("a string is not closed");
}

std::string_view JsonReader::unescaped(std::size_t begin) {
  scratch_.assign(text_.substr(begin, at_ - begin));
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return scratch_;
    }
    if (c == '\\') {
      ++at_;
      append_escape();
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) fail("a string contains a control character");
    const Utf8Char ch = decode_utf8(text_, at_);
    if (ch.code < 0) fail("a string is not UTF-8");
    scratch_ += text_.substr(at_, ch.size);
    at_ += ch.size;
  }
  fail("a string is not closed");
}

uint32_t JsonReader::hex4() {
  uint32_t code = 0;
  const char* begin = text_.data() + at_;
  if (text_.size() - at_ < 4 || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4)
    fail("four hexadecimal digits follow \\u");
  at_ += 4;
  return code;
}

void JsonReader::append_escape() {
  if (at_ == text_.size()) fail("a string is not closed");
  static constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  const char c = text_[at_++];
  if (const auto i = kNames.find(c); i != std::string_view::npos) {
    scratch_ += kMeant[i];
    return;
  }
  if (c != 'u') fail("an invalid escape sequence");
  uint32_t code = hex4();
  if (code >= 0xD800 && code < 0xDC00) {
    if (text_.substr(at_, 2) != "\\u") fail("an unpaired surrogate");
    at_ += 2;
    const uint32_t low = hex4();
    if (low < 0xDC00 || low > 0xDFFF) fail("an unpaired surrogate");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code < 0xE000) {
    fail("an unpaired surrogate");
  }
  append_utf8(scratch_, code);
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
std::string_view JsonReader::number_word() {
  next_char();
  const std::size_t begin = at_;
  const auto here = [&](char c) { return at_ < text_.size() && text_[at_] == c; };
  const auto digits = [&] {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ == from) fail("a number is expected here");
  };
  if (here('-')) ++at_;
  if (here('0')) {
    ++at_;
  } else {
    digits();
  }
  if (here('.')) {
    ++at_;
    digits();
  }
  if (here('e') || here('E')) {
    ++at_;
    if (here('+') || here('-')) ++at_;
    digits();
  }
  return text_.substr(begin, at_ - begin);
}

int64_t JsonReader::integer() {
  const std::string_view word = number_word();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    fail("a whole number of at most 63 bits is expected here");
  return value;
}

double JsonReader::number() {
  const std::string_view word = number_word();
  double value = 0;
  if (std::from_chars(word.data(), word.data() + word.size(), value).ec != std::errc())
    fail("a number too large or too small");
  return value;
}

void JsonReader::literal(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) fail("a JSON value is expected here");
  at_ += word.size();
}

bool JsonReader::boolean() {
  if (peek() != Json::Kind::Bool) fail("true or false is expected here");
  const bool value = text_[at_] == 't';
  literal(value ? "true" : "false");
  return value;
}

void JsonReader::null() {
  if (peek() != Json::Kind::Null) fail("null is expected here");
  literal("null");
}

// Not recursive: `open_` is the stack.
void JsonReader::skip() {
  const std::size_t outside = open_.size();
  do {
    if (open_.size() > outside && !(open_.back().object ? next_key().has_value() : next_item()))
      continue;
    switch (peek()) {
      case Json::Kind::Null: null(); break;
      case Json::Kind::Bool: boolean(); break;
      case Json::Kind::Number: number_word(); break;
      case Json::Kind::String: string(); break;
      case Json::Kind::Array: begin_array(); break;
      case Json::Kind::Object: begin_object(); break;
    }
  } while (open_.size() > outside);
}

void JsonReader::finish() {
  skip_space();
  if (at_ != text_.size()) fail("text follows the end of the JSON value");
}

}  // namespace tilewright
