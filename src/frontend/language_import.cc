#include "tilewright/frontend/language_import.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/value.h"

namespace tilewright::frontend {
namespace {

const std::string kLanguage = "pypto.language";

std::string path_of(const Stmt& import, const ImportName& name) {
  return import.module.empty() ? name.name : import.module + "." + name.name;
}

// The first import at the top of the file of which this is true.
template <class Is>
const Stmt* find_import(const Parsed& parsed, const Is& is) {
  for (const Stmt* s : parsed.body())
    if (s->kind == StmtKind::Import)
      for (const ImportName& name : s->imports)
        if (is(*s, name)) return s;
  return nullptr;
}

bool is_other_module(const std::string& path) {
  if (path.starts_with("package:")) return false;  // a directory, whose files may lead anywhere
  if (path.substr(0, path.find('.')) != "pypto") return true;
  return path != kLanguage && nearest(path, {kLanguage});
}

// What is wrong with `pl`; empty when nothing is. A file may leave its import out, as examples do.
std::string mistake_of(const Value* pl) {
  if (!pl) return "";
  if (const auto* unknown = pl->as<Unknown>())
    return fmt::format("pl cannot be used: {}", unknown->cause->what);
  const auto* outside = pl->as<Outside>();
  return outside && is_other_module(outside->path)
             ? fmt::format("pl is {}, not {}", outside->path, kLanguage)
             : "";
}

}  // namespace

void warn_of_language_import(const Parsed& main, const Environment& home, const Found& found,
                             Diagnostics& diagnostics) {
  std::string what = mistake_of(home.find("pl"));
  if (what.empty()) return;
  const Stmt* import =
      find_import(main, [](const Stmt&, const ImportName& name) { return name.bound == "pl"; });
  const Place place = main.source().place(import ? import->at : found.program->at);
  diagnostics.add({Severity::Warning, "name", std::move(what), fmt::format("at {}", place.text()),
                   "Python would not load this file", "write import pypto.language as pl",
                   place.excerpt(), place});
}

std::string other_name_of_language(const Parsed& parsed) {
  std::string other;
  find_import(parsed, [&](const Stmt& import, const ImportName& name) {
    if (path_of(import, name) == kLanguage && name.bound != "pl") other = name.bound;
    return !other.empty();
  });
  return other;
}

}  // namespace tilewright::frontend
