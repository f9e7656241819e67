// The files of page/, compiled into the library. cmake/embed.cmake writes the definition.
#pragma once

#include <string_view>
#include <vector>

namespace tilewright::report {

struct DataFile {
  std::string_view name;  // "timeline", without its extension
  std::string_view text;
};

const std::vector<DataFile>& data_files();

}  // namespace tilewright::report
