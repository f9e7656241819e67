#include "tilewright/lsp/uri.h"

#include <cctype>
#include <filesystem>

#include <fmt/format.h>

namespace tilewright::lsp {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0 || high * 16 + low == 0) {  // no file name holds a zero
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

std::string path_of_uri(const std::string& uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return uri;
  const std::size_t path = uri.find('/', kFile.size());  // behind the name of the machine
  if (path == std::string::npos) return uri;
  return std::filesystem::path(percent_decoded(uri.substr(path))).lexically_normal().string();
}

std::string uri_of_path(const std::string& path) {
  if (!path.starts_with('/')) return path;
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) ||
                       std::string_view("/-._~!$&'()*+,;=@").find(c) != std::string_view::npos;
    if (plain && static_cast<unsigned char>(c) < 0x80)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace tilewright::lsp
