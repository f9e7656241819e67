#include "tilewright/http/message.h"

#include <algorithm>
#include <cctype>

namespace tilewright::http {

std::string_view Request::header(std::string_view name) const {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  for (const auto& [key, value] : headers)
    if (std::ranges::equal(key, name, same)) return value;
  return {};
}

Response error(int status, const std::string& words) {
  Response r;
  r.status = status;
  r.body = words + "\n";
  return r;
}

}  // namespace tilewright::http
