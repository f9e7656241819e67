#include "tilewright/base/place.h"

#include <fmt/format.h>

namespace tilewright {

std::string Place::text() const {
  if (!known()) return "(unknown place)";
  return column == 0 ? fmt::format("{}:{}", file, line)
                     : fmt::format("{}:{}:{}", file, line, column);
}

}  // namespace tilewright
