// Where the names of a file stand, and which of them mean the same thing, by Python's rules of
// scopes. Names that come from modules mean what the module defines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/frontend/file.h"
#include "tilewright/lsp/positions.h"

namespace tilewright::lsp {

// A name of a scope. Scope 0 is the module, others are numbered as they stand in the file.
struct NameKey {
  std::string file;
  int scope = 0;
  std::string name;

  friend auto operator<=>(const NameKey&, const NameKey&) = default;
};

struct Occurrence {
  Position at;
  std::size_t size = 0;  // bytes
  NameKey key;
  bool defines = false;
  bool imports = false;  // the name in an import: defined elsewhere
};

using Files = std::vector<std::shared_ptr<const frontend::Parsed>>;

// In no order. `files` are those that imports may lead to, the file itself among them.
std::vector<Occurrence> index_names(const frontend::Parsed& parsed, const Files& files);

// The file of a module as `from` imports it: "config", "pkg.config", "..config"; empty when it is
// none of `files`.
std::string module_file(const std::string& module, const std::string& from, const Files& files);

}  // namespace tilewright::lsp
