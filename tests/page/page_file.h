// What a page holds, read back without a browser.
#pragma once

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../cli/support.h"
#include "tilewright/cli/builtin.h"

namespace tilewright::cli {

using Json = nlohmann::json;

inline std::string file_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The JSON between the tags of the page's data.
inline Json data_of(const std::string& page) {
  const std::string tag = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = page.find(tag) + tag.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

template <class T>
std::vector<double> values_of(const std::string& bytes) {
  std::vector<T> typed(bytes.size() / sizeof(T));
  std::memcpy(typed.data(), bytes.data(), bytes.size());
  return {typed.begin(), typed.end()};
}

inline std::vector<double> column(const Json& c) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t group = 0;
  int bits = 0;
  for (char ch : c["data"].get<std::string>()) {
    if (ch == '=') break;
    group = group << 6 | static_cast<uint32_t>(digits.find(ch));
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xff);
  }
  const std::string type = c["type"];
  if (type == "u8") return values_of<uint8_t>(bytes);
  if (type == "u16") return values_of<uint16_t>(bytes);
  if (type == "u32") return values_of<uint32_t>(bytes);
  if (type == "i32") return values_of<int32_t>(bytes);
  return values_of<double>(bytes);
}

}  // namespace tilewright::cli
