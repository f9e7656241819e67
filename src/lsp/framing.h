// The frames of the protocol: "Content-Length: 42", an empty line, and 42 bytes of JSON. Knows
// nothing of what is inside.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilewright::lsp {

// Thrown for bytes that are not a frame. The start of the next frame cannot be found, so the stream
// cannot be read further.
class FramingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kLargestMessage = 64u << 20;  // bytes; no editor sends more
inline constexpr std::size_t kLongestHeader = 4096;

class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_ += bytes; }
  // The next whole message; nothing: more bytes are needed. FramingError for a header that gives no
  // length, or one that is too large.
  std::optional<std::string> next();
  // Whether the bytes so far end between two messages.
  bool at_boundary() const { return at_ == buffer_.size() && !length_; }

 private:
  bool read_header();

  std::string buffer_;
  std::size_t at_ = 0;                 // bytes before this position were returned as messages
  std::optional<std::size_t> length_;  // of the message whose header was read
};

std::string framed(std::string_view content);

}  // namespace tilewright::lsp
