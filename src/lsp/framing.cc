#include "tilewright/lsp/framing.h"

#include <fmt/format.h>

#include <charconv>

namespace tilewright::lsp {
namespace {

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool same_header_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

std::size_t content_length(std::string_view value) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (value.empty() || error == std::errc::invalid_argument || end != value.data() + value.size())
    throw FramingError(fmt::format("Content-Length is \"{}\", not a number", value.substr(0, 40)));
  if (error == std::errc::result_out_of_range || length > kLargestMessage)
    throw FramingError(fmt::format("a message of {} bytes; the largest that is read has {}", value,
                                   kLargestMessage));
  return length;
}

}  // namespace

bool FrameReader::read_header() {
  std::optional<std::size_t> length;
  for (std::size_t line = at_;;) {
    const std::size_t end = buffer_.find("\r\n", line);
    if (end == std::string::npos || end - at_ > kLongestHeader) {
      if (buffer_.size() - at_ > kLongestHeader)
        throw FramingError(fmt::format("no header in the first {} bytes", kLongestHeader));
      return false;
    }
    const std::string_view text = std::string_view(buffer_).substr(line, end - line);
    line = end + 2;
    if (text.empty()) {
      if (!length) throw FramingError("a header without Content-Length");
      at_ = line;
      length_ = length;
      return true;
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
      throw FramingError(fmt::format("\"{}\" is no header", text.substr(0, 40)));
    if (same_header_name(without_spaces(text.substr(0, colon)), "Content-Length"))
      length = content_length(without_spaces(text.substr(colon + 1)));
  }
}

std::optional<std::string> FrameReader::next() {
  if (!length_ && !read_header()) return std::nullopt;
  if (buffer_.size() - at_ < *length_) return std::nullopt;
  std::string content = buffer_.substr(at_, *length_);
  buffer_.erase(0, at_ + *length_);
  at_ = 0;
  length_.reset();
  return content;
}

std::string framed(std::string_view content) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content);
}

}  // namespace tilewright::lsp
