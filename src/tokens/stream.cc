#include "tilewright/tokens/stream.h"

#include "tilewright/base/utf8.h"

namespace tilewright::tokens {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::string made_valid(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Char c = decode_utf8(bytes, at);
    out += c.code < 0 ? kReplacement : bytes.substr(at, c.size);
    at += c.size;
  }
  return out;
}

}  // namespace

std::string TextStream::push(int32_t id) {
  if (tokenizer_->is_special(id)) return "";
  std::string_view bytes = tokenizer_->bytes(id);
  if (drop_space_ && !bytes.empty()) {
    if (bytes.starts_with(' ')) bytes.remove_prefix(1);
    drop_space_ = false;
  }
  waiting_ += bytes;
  const std::size_t ready = waiting_.size() - unfinished_utf8(waiting_);
  std::string out = made_valid(std::string_view(waiting_).substr(0, ready));
  waiting_.erase(0, ready);
  return out;
}

std::string TextStream::finish() {
  std::string out = waiting_.empty() ? "" : std::string(kReplacement);
  waiting_.clear();
  return out;
}

}  // namespace tilewright::tokens
