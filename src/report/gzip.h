// Text as gzip, which Perfetto and browsers open as it is.
#pragma once

#include <string>
#include <string_view>

namespace tilewright::report {

std::string gzipped(std::string_view text);

}  // namespace tilewright::report
