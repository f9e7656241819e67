// Modules: where an import finds its file, and what the file defines. A module is parsed once per
// program file and evaluated once per World.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/frontend/evaluate/environment.h"

namespace tilewright::frontend {

// The files that were read, by path. Shared by everything that is made from one program file.
class Library {
 public:
  // Null when there is no such file. UserError when it cannot be read or is no text.
  std::shared_ptr<const Parsed> load(const std::string& path);
  void add(const std::string& path, std::shared_ptr<const Parsed> parsed);
  bool has(const std::string& path) const;
  const std::map<std::string, std::shared_ptr<const Parsed>>& files() const { return files_; }

  // Called with every path that is looked for, whether there is a file or not.
  std::function<void(const std::string& path)> looked_for = {};
  // The text of a file that is open in an editor, which comes before the one on disk.
  std::function<std::optional<std::string>(const std::string& path)> open_text = {};

 private:
  std::map<std::string, std::shared_ptr<const Parsed>> files_;
};

class Modules {
 public:
  // `main` is the program file; `paths` are searched after its directory.
  Modules(World& world, Library& library, std::shared_ptr<const Parsed> main,
          std::vector<std::string> paths);

  // The program file itself, executed.
  ModuleInfo& main() { return *main_; }
  void import(const Stmt& s, Environment& into);
  Value member(ModuleInfo& module, std::string_view name, const Place& place);
  void add_path(const std::string& directory);

 private:
  Value find(const std::string& name, const Environment& from, const Place& place);
  ModuleInfo* load(const std::string& base, const std::string& name, const Place& place);
  ModuleInfo* run(const std::string& name, std::shared_ptr<const Parsed> parsed);
  std::vector<std::string> directories(const Environment& from) const;
  Value imported(ModuleInfo& module, const std::string& name, const Place& place);

  World& world_;
  Library& library_;
  std::vector<std::string> paths_;
  std::map<std::string, ModuleInfo*> loaded_;  // by path
  ModuleInfo* main_ = nullptr;
  int depth_ = 0;
};

}  // namespace tilewright::frontend
