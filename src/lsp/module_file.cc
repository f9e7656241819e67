// Finds the file that an import refers to, among the files that the reader has already read.
#include <filesystem>

#include "tilewright/base/text.h"
#include "tilewright/lsp/name_index.h"

namespace tilewright::lsp {

namespace fs = std::filesystem;

std::string module_file(const std::string& module, const std::string& from, const Files& files) {
  const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
  fs::path name;
  for (const std::string& part : split(module.substr(dots), '.'))
    if (!part.empty()) name /= part;
  fs::path base = fs::path(from).parent_path();
  for (std::size_t i = 1; i < dots; ++i) base = base.parent_path();
  std::string found;
  for (const auto& parsed : files) {
    const std::string& path = parsed->source().name();
    for (const fs::path& end : {fs::path(name.string() + ".py"), name / "__init__.py"}) {
      const std::string beside = (base / end).lexically_normal().string();
      if (path == beside) return path;
      if (dots == 0 && !name.empty() && path.ends_with("/" + end.string())) found = path;
    }
  }
  return found;
}

}  // namespace tilewright::lsp
