#include "tilewright/serve/api_keys.h"

#include <algorithm>

namespace tilewright::serve {
namespace {

// Looks at every byte of the key, whatever it finds.
bool equal(std::string_view key, std::string_view given) {
  unsigned different = key.size() != given.size();
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char other = given.empty() ? '\0' : given[i % given.size()];
    different |= static_cast<unsigned char>(key[i] ^ other);
  }
  return different == 0;
}

}  // namespace

bool ApiKeys::admit(const http::Request& request) const {
  if (keys_.empty()) return true;
  std::string_view given = request.header("authorization");
  constexpr std::string_view kScheme = "bearer ";
  const auto lower = [](unsigned char a, unsigned char b) { return std::tolower(a) == b; };
  if (given.size() < kScheme.size() ||
      !std::ranges::equal(given.substr(0, kScheme.size()), kScheme, lower))
    return false;
  given.remove_prefix(kScheme.size());
  bool admitted = false;
  for (const std::string& key : keys_) admitted |= equal(key, given);
  return admitted;
}

}  // namespace tilewright::serve
