// The machine files of data/, compiled into the library. cmake/embed.cmake writes the definition.
#pragma once

#include <string_view>
#include <vector>

namespace tilewright::platform {

struct DataFile {
  std::string_view name;  // "a2a3"
  std::string_view text;
};

const std::vector<DataFile>& data_files();

}  // namespace tilewright::platform
