#include "tilewright/serve/request_id.h"

#include <random>

namespace tilewright::serve {

std::string new_id(std::string_view prefix) {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  static thread_local std::mt19937_64 source{std::random_device{}()};
  std::string id(prefix);
  for (int i = 0; i < 24; ++i) id += kLetters[source() % kLetters.size()];
  return id;
}

}  // namespace tilewright::serve
