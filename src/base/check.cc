#include "tilewright/base/check.h"

#include <fmt/format.h>

namespace tilewright {

void bug(const std::string& message, Here here) {
  throw BugError(fmt::format("{}:{}: {}", here.file, here.line, message));
}

}  // namespace tilewright
