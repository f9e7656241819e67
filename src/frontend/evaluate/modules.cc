#include "tilewright/frontend/evaluate/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/frontend/file.h"

namespace tilewright::frontend {
namespace {

namespace fs = std::filesystem;

constexpr int kMostImports = 40;      // modules that import each other in a row
constexpr std::size_t kMostModules = 500;
constexpr int kMostAncestors = 6;     // directories above the file that may hold its packages

// What the reader knows by name and never reads: the language, its runtime and their test harness,
// and Python's library.
bool is_outside(std::string_view root) {
  constexpr std::string_view kRoots[] = {
      "pypto",       "golden",    "torch",     "numpy",   "math",     "os",        "sys",
      "argparse",    "typing",    "pathlib",   "enum",    "functools", "itertools", "collections",
      "dataclasses", "json",      "re",        "time",    "copy",     "random",    "ctypes",
      "struct",      "subprocess", "logging",  "warnings", "abc",     "types",     "inspect",
      "importlib",   "contextlib", "shutil",   "tempfile", "datetime", "statistics", "operator",
      "pytest",      "torch_npu", "simpler",   "ml_dtypes", "traceback", "textwrap", "hashlib",
      "io",          "string",    "threading", "typing_extensions", "__future__", "unittest"};
  return std::ranges::find(kRoots, root) != std::end(kRoots);
}

std::string directory_of(const ModuleInfo& module) {
  const fs::path parent = fs::path(module.parsed->source().name()).parent_path();
  return parent.empty() ? "." : parent.string();
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}
bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Names of the modules and packages that stand in these directories.
std::vector<std::string> modules_in(const std::vector<std::string>& directories) {
  constexpr std::size_t kMostNames = 1000;
  std::vector<std::string> out;
  for (const std::string& directory : directories) {
    std::error_code error;
    for (fs::directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
      if (out.size() >= kMostNames) return out;
      const fs::path& path = it->path();
      if (path.extension() == ".py")
        out.push_back(path.stem().string());
      else if (is_file(path / "__init__.py"))
        out.push_back(path.filename().string());
    }
  }
  return out;
}

// What `from module import *` brings: the names in __all__, else those that are not private.
bool is_exported(const ModuleInfo& module, const std::string& name) {
  const auto all = module.names.values.find("__all__");
  const auto* list = all == module.names.values.end() ? nullptr : all->second.as<List>();
  if (!list) return !name.starts_with('_');
  return std::ranges::any_of(list->items(), [&](const Value& v) {
    const auto* text = v.as<std::string>();
    return text && *text == name;
  });
}

}  // namespace

// ---- files -------------------------------------------------------------------------------------

std::shared_ptr<const Parsed> Library::load(const std::string& path) {
  const auto it = files_.find(path);
  if (it != files_.end()) return it->second;
  auto text = open_text ? open_text(path) : std::nullopt;
  if (!text && !is_file(path)) return nullptr;
  auto parsed =
      Parsed::parse(text ? Source::from_text(path, std::move(*text)) : Source::read(path));
  files_.emplace(path, parsed);
  return parsed;
}

bool Library::has(const std::string& path) const {
  return files_.contains(path) || (open_text && open_text(path)) || is_file(path);
}

void Library::add(const std::string& path, std::shared_ptr<const Parsed> parsed) {
  files_.insert_or_assign(path, std::move(parsed));
}

// ---- modules -----------------------------------------------------------------------------------

Modules::Modules(World& world, Library& library, std::shared_ptr<const Parsed> main,
                 std::vector<std::string> paths)
    : world_(world), library_(library), paths_(std::move(paths)) {
  const fs::path path(main->source().name());
  world.argv.data->at(0) = {path.string()};
  main_ = run(path.stem().string(), std::move(main));
}

ModuleInfo* Modules::run(const std::string& name, std::shared_ptr<const Parsed> parsed) {
  ModuleInfo* info = world_.new_module();
  info->name = name;
  info->parsed = std::move(parsed);
  info->names.module = info;
  if (!main_) main_ = info;
  loaded_[fs::path(info->parsed->source().name()).lexically_normal().string()] = info;
  info->names.bind("__name__", {name});
  info->names.bind("__file__", {info->parsed->source().name()});
  try {
    Interpreter(world_, *this, info->names).run(info->parsed->body());
  } catch (const PythonRaise& raised) {
    refuse_raise(raised);
  }
  info->complete = true;
  return info;
}

void Modules::add_path(const std::string& directory) {
  if (std::ranges::find(paths_, directory) == paths_.end() && paths_.size() < 100)
    paths_.push_back(directory);
}

// Python looks beside the file that was started; packages also beside the importer, and in the
// directories above, which authors put on the path before they start a file.
std::vector<std::string> Modules::directories(const Environment& from) const {
  std::vector<std::string> out{directory_of(*main_), directory_of(*from.module)};
  out.insert(out.end(), paths_.begin(), paths_.end());
  std::error_code error;
  fs::path up = fs::absolute(directory_of(*main_), error).lexically_normal();
  for (int i = 0; i < kMostAncestors && up.has_parent_path() && up != up.parent_path(); ++i) {
    up = up.parent_path();
    out.push_back(up.string());
  }
  return out;
}

// The module in file base/name.py or base/name/__init__.py; null when there is none.
ModuleInfo* Modules::load(const std::string& base, const std::string& name, const Place& place) {
  fs::path path = fs::path(base);
  for (const std::string& part : split(name, '.')) path /= part;
  for (const fs::path& file : {fs::path(path.string() + ".py"), path / "__init__.py"}) {
    const std::string key = file.lexically_normal().string();
    const auto it = loaded_.find(key);
    if (it != loaded_.end()) return it->second;
    if (library_.looked_for) library_.looked_for(key);
    if (!library_.has(key)) continue;
    if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) {
      load(base, name.substr(0, dot), place);  // a package runs before its modules
      if (const auto by_package = loaded_.find(key); by_package != loaded_.end())
        return by_package->second;
    }
    if (depth_ >= kMostImports || loaded_.size() >= kMostModules)
      throw TooLong({Severity::Error, "evaluate",
                     fmt::format("more than {} modules import each other in a row, or {} in all",
                                 kMostImports, kMostModules),
                     fmt::format("at {}", place.text()),
                     "a program may consist of a limited number of modules",
                     "check the imports", place.excerpt(), place});
    ++depth_;
    struct Leave {
      int& depth;
      ~Leave() { --depth; }
    } const leave{depth_};
    return run(name, library_.load(key));
  }
  return nullptr;
}

Value Modules::find(const std::string& name, const Environment& from, const Place& place) {
  const std::size_t dots = std::min(name.find_first_not_of('.'), name.size());
  const std::string rest = name.substr(dots);
  if (dots > 0) {
    fs::path base = directory_of(*from.module);
    for (std::size_t i = 1; i < dots; ++i) base = base / "..";
    if (rest.empty()) {  // from . import name
      if (ModuleInfo* m = load(base.string(), "__init__", place)) return {Module{m}};
      return {Outside{fmt::format("package:{}", base.string()), nullptr}};
    }
    if (ModuleInfo* m = load(base.string(), rest, place)) return {Module{m}};
    return unknown(fmt::format("module {} is not found next to {}", name,
                               from.module->parsed->source().name()),
                   place);
  }
  if (is_outside(rest.substr(0, rest.find('.')))) return {Outside{rest, nullptr}};
  for (const std::string& directory : directories(from))
    if (ModuleInfo* m = load(directory, rest, place)) return {Module{m}};
  for (const std::string& directory : directories(from)) {
    fs::path path(directory);
    for (const std::string& part : split(rest, '.')) path /= part;
    if (is_folder(path))  // a package without a file of its own
      return {Outside{fmt::format("package:{}", path.string()), nullptr}};
  }
  const std::string nearest = did_you_mean(rest, modules_in(directories(from)));
  return unknown(fmt::format("module {} is not found{} --path DIR names a directory to look in",
                             name, nearest.empty() ? ";" : nearest),
                 place);
}

// A name of a module, or a module inside its package.
Value Modules::imported(ModuleInfo& module, const std::string& name, const Place& place) {
  const auto it = module.names.values.find(name);
  if (it != module.names.values.end()) return it->second;
  const fs::path file(module.parsed->source().name());
  if (file.filename() == "__init__.py")
    if (ModuleInfo* m = load(file.parent_path().string(), name, place)) return {Module{m}};
  if (!module.complete)
    return unknown(fmt::format("{} and its importers import each other in a circle, and {} is not "
                               "defined yet",
                               module.name, name),
                   place);
  std::vector<std::string> known;
  for (const auto& entry : module.names.values) known.push_back(entry.first);
  return unknown(fmt::format("module {} has no {}{}", module.name, name, did_you_mean(name, known)),
                 place);
}

Value Modules::member(ModuleInfo& module, std::string_view name, const Place& place) {
  return imported(module, std::string(name), place);
}

void Modules::import(const Stmt& s, Environment& into) {
  const auto at = [&](At where) { return into.module->parsed->source().place(where); };
  const auto attempt = [&](const std::string& name, At where) -> Value {
    try {
      return find(name, into, at(where));
    } catch (const TooLong&) {
      throw;
    } catch (const UserError& e) {
      return unknown(fmt::format("module {} cannot be used: {}, {}", name, e.diagnostic().what,
                                 e.diagnostic().where),
                     at(where));
    }
  };
  if (s.module.empty()) {
    for (const ImportName& n : s.imports) {
      const Value module = attempt(n.name, n.at);
      // `import a.b` binds a; what is in b is found through it.
      const bool whole = n.bound == n.name || n.name.find('.') == std::string::npos ||
                         n.bound != n.name.substr(0, n.name.find('.'));
      into.bind(n.bound, whole ? module : attempt(n.bound, n.at));
    }
    return;
  }
  const Value module = attempt(s.module, s.at);
  for (const ImportName& n : s.imports) {
    const auto* m = module.as<Module>();
    const auto* o = module.as<Outside>();
    if (n.name == "*") {
      if (!m) continue;
      for (const auto& [name, value] : m->info->names.values)
        if (is_exported(*m->info, name)) into.bind(name, value);
    } else if (m) {
      into.bind(n.bound, imported(*m->info, n.name, at(n.at)));
    } else if (o && o->path.starts_with("package:")) {
      ModuleInfo* inner = load(o->path.substr(8), n.name, at(n.at));
      into.bind(n.bound, inner ? Value{Module{inner}}
                               : unknown(fmt::format("module {} has no {}", s.module, n.name),
                                         at(n.at)));
    } else if (o) {
      into.bind(n.bound, {Outside{fmt::format("{}.{}", o->path, n.name), nullptr}});
    } else {
      into.bind(n.bound, module);
    }
  }
}

}  // namespace tilewright::frontend
