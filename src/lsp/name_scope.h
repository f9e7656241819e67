// The names of a module, class or function, and where a name is looked for. Private to the index.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tilewright/lsp/name_index.h"

namespace tilewright::lsp {

struct NameScope {
  NameScope* outer = nullptr;
  int number = 0;
  bool of_class = false;
  std::map<std::string, NameKey, std::less<>> names;
  std::map<std::string, std::string, std::less<>> modules;  // names that stand for modules: files

  // Null when no scope knows the name: Python's own. Functions do not see the names of their class.
  const NameKey* find(std::string_view name) const {
    for (const NameScope* s = this; s; s = s->outer) {
      if (s->of_class && s != this) continue;
      if (const auto it = s->names.find(name); it != s->names.end()) return &it->second;
    }
    return nullptr;
  }
  const std::string* find_module(std::string_view name) const {
    for (const NameScope* s = this; s; s = s->outer)
      if (const auto it = s->modules.find(name); it != s->modules.end()) return &it->second;
    return nullptr;
  }
};

}  // namespace tilewright::lsp
