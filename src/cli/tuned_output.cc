#include "tilewright/cli/tuned_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/diff.h"
#include "tilewright/base/text.h"
#include "tilewright/results/named_constants.h"

namespace tilewright::cli {

data::TilingFile tiling_of(const catalog::ProgramDef& def, const session::Request& request,
                           const improve::Tuned& tuned) {
  data::TilingFile f{def.name,    session::configure(def, request).shape(), request.platform_name,
                     request.set, tuned.best_verdict.time_us,               tuned.start_verdict.time_us};
  for (const auto& [key, value] : tuned.best)
    if (value != tuned.start.at(key)) f.set[key] = value;
  return f;
}

std::vector<SourceChange> source_changes(const catalog::ProgramDef& def,
                                         const improve::Tuned& tuned) {
  if (!def.rewrite) return {};
  std::map<std::string, int64_t> changed;
  for (const auto& [key, value] : tuned.best)
    if (value != tuned.start.at(key)) changed[key] = value;
  return def.rewrite(changed);
}

std::string source_diff(const std::vector<SourceChange>& changes, const std::string& written_to) {
  std::string out;
  for (const SourceChange& s : changes)
    out += unified_diff(s.before, s.after, s.path, written_to.empty() ? s.path : written_to);
  return out;
}

OutputForm output_form(const catalog::ProgramDef& def, const std::string& path,
                       std::string_view endings) {
  if (path.ends_with(".py")) return OutputForm::Program;
  if (path.ends_with(".json")) return OutputForm::Keys;
  if (!path.ends_with(".diff") && !path.ends_with(".patch"))
    user_error("output", fmt::format("{} has none of the endings {}", path, endings),
               fmt::format("in --output {}", path),
               "the ending says what is written: the program, its keys, or a patch for its file",
               fmt::format("write the program with -o {}",
                           std::filesystem::path(path).replace_extension(".py").string()));
  if (!def.rewrite)
    user_error("output", fmt::format("{} is built in and has no file to patch", def.name),
               fmt::format("in --output {}", path), "a patch changes the file of a program",
               "write keys to a .json file, or the program to a .py file");
  return OutputForm::Patch;
}

TunedOutput::TunedOutput(const catalog::ProgramDef& def, const session::Request& request,
                         std::string path)
    : def_(def),
      request_(request),
      path_(std::move(path)),
      form_(output_form(def, path_, ".py, .json, .diff and .patch")),
      file_(path_) {}

void TunedOutput::save_so_far(const improve::Tuned& tuned) {
  if (form_ != OutputForm::Keys) return;
  file_.commit(data::tiling_text(tiling_of(def_, request_, tuned)));
  written_ = true;
}

std::string TunedOutput::program_text(const improve::Tuned& tuned) const {
  if (!def_.rewrite) {
    session::Request best = request_;
    for (const auto& [key, value] : tuned.best) best.set[key] = value;
    return results::text_with_constants(def_, session::configure(def_, best));
  }
  const std::vector<SourceChange> changes = source_changes(def_, tuned);
  const std::string main = def_.name.substr(0, def_.name.find("::"));
  std::string text;
  for (const SourceChange& s : changes) {
    if (s.path != main)
      user_error("output", fmt::format("constants in {} change as well", s.path),
                 fmt::format("in --output {}", path_),
                 "a .py output holds one file, but the program has several",
                 "write a patch for all files with -o FILE.diff, or keys with -o FILE.json");
    text = s.after;
  }
  return changes.empty() ? read_text(main) : text;
}

std::string TunedOutput::save(const improve::Tuned& tuned, const std::string& command) {
  if (!tuned.better() && !written_) return "no file was written: nothing better was found\n";
  if (!tuned.better()) {  // keys that looked better change what is computed
    file_.commit(data::tiling_text(tiling_of(def_, request_, tuned)));
    return fmt::format("{} holds the keys as they were: nothing better was found\n", path_);
  }
  switch (form_) {
    case OutputForm::Keys:
      file_.commit(data::tiling_text(tiling_of(def_, request_, tuned)));
      return fmt::format("saved {}; next: {} run {} --tiling {}\n", path_, command,
                         shell_word(def_.name), shell_word(path_));
    case OutputForm::Program:
      file_.commit(program_text(tuned));
      return fmt::format("saved {}; next: {} check {} -p {}\n", path_, command, shell_word(path_),
                         request_.platform_name);
    case OutputForm::Patch:
      file_.commit(source_diff(source_changes(def_, tuned)));
      return fmt::format("saved {}; next: patch -p0 < {}\n", path_, shell_word(path_));
  }
  bug("TunedOutput: form");
}

}  // namespace tilewright::cli
