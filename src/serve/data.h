// The files of page/, compiled into the library. cmake/embed.cmake writes the definition.
#pragma once

#include <string_view>
#include <vector>

namespace tilewright::serve {

struct DataFile {
  std::string_view name;  // "chat", without its extension
  std::string_view text;
};

const std::vector<DataFile>& data_files();

}  // namespace tilewright::serve
