// The table of operations of docs/language.md, compiled into the library: what hover and completion
// say of an operation. cmake/embed.cmake writes the definition.
#pragma once

#include <string_view>
#include <vector>

namespace tilewright::lsp {

struct DataFile {
  std::string_view name;  // "language", without its extension
  std::string_view text;
};

const std::vector<DataFile>& data_files();

}  // namespace tilewright::lsp
