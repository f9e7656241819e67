#include "tilewright/cli/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tilewright/base/text.h"
#include "tilewright/cli/missing_model.h"
#include "tilewright/data/program_file.h"
#include "tilewright/session/reference.h"

namespace tilewright::cli {
namespace {

const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::Red: return "1;31";
    case Colour::Green: return "1;32";
    case Colour::Yellow: return "1;33";
    case Colour::Bold: return "1";
  }
  return "0";
}

bool names_cpp_file(std::string_view operand) {
  return operand.ends_with(".cc") || operand.ends_with(".cpp") || operand.ends_with(".cxx");
}

// UserError if there is such a file or directory: its name is not a misspelt one.
void refuse_other_file(const std::string& operand) {
  std::error_code ignored;
  const auto status = std::filesystem::status(operand, ignored);
  if (!std::filesystem::exists(status)) return;
  user_error("program",
             fmt::format("{} {}", operand,
                         std::filesystem::is_directory(status) ? "is a directory"
                                                               : "does not end in .py"),
             "", "a program is a .py file or a name that list prints",
             "name a .py file, or a program that list prints");
}

// What does for a program of C++ what the flag does for a file.
std::string instead_of(std::string_view flag, const std::string& value,
                       const catalog::ProgramDef& def) {
  if (flag == "--reference")
    return def.formula ? fmt::format("omit --reference: {} has a formula of its own", def.name)
                       : "omit --reference";
  if (flag == "--path") return "omit --path";
  const auto keys = catalog::configure(def, "", {}).keys();
  const auto key = std::ranges::find(keys, value.substr(0, value.find('=')), &catalog::Key::name);
  if (key != keys.end()) return fmt::format("use --set {}", value);
  std::vector<std::string> names;
  for (const catalog::Key& k : keys) names.push_back(k.name);
  return keys.empty() ? "omit --arg"
                      : fmt::format("--set sets a key; the keys are: {}", join(names, ", "));
}

}  // namespace

std::string Context::paint(Colour colour, const std::string& text) const {
  return terminal.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code_of(colour), text) : text;
}

std::string Context::heading(const std::string& program, const std::string& shape) const {
  const std::string name = paint(Colour::Bold, program);
  return shape == data::kFileShape ? name : fmt::format("{}: shape {}", name, shape);
}

const catalog::ProgramDef& Context::program() const {
  if (!args.operand.empty()) return find(args.operand);
  if (catalog.all().size() == 1) return of_cpp(catalog.all().front());
  user_error("program", fmt::format("{} needs a program", args.command->name), "",
             "a program is a .py file or a name that list prints",
             fmt::format("the programs are: {}",
                         catalog.all().empty() ? "none" : join(catalog.names(), ", ")));
}

const catalog::ProgramDef& Context::find(const std::string& operand) const {
  if (names_cpp_file(operand))
    user_error(
        "program", fmt::format("{} is a C++ file", operand), "",
        "a program is a .py file or a name that list prints",
        "build the C++ program; its executable has these commands itself (docs/tutorial.md)");
  if (!data::names_program_file(operand)) {
    const auto names = catalog.names();
    if (std::ranges::find(names, operand) == names.end()) refuse_other_file(operand);
    return of_cpp(catalog.find(operand));
  }
  const auto it = files.find(operand);
  if (it != files.end()) return it->second;
  return files.emplace(operand, read(operand)).first->second;
}

catalog::ProgramDef Context::read(const std::string& operand,
                                  const std::function<void(const std::string&)>& looked_for) const {
  for (const std::string& directory : args.words("--path"))
    if (std::error_code ignored; !std::filesystem::is_directory(directory, ignored))
      user_error("command-line", fmt::format("there is no directory \"{}\"", directory),
                 fmt::format("in --path {}", directory), "--path names a directory of modules",
                 "check the path");
  catalog::ProgramDef def =
      data::program_from_file(operand, {args.choices(), args.words("--path"), looked_for});
  if (args.has("--reference")) {
    session::use_reference(def, catalog.find(args.text("--reference")), true);
  } else {
    session::use_original(def, catalog);
  }
  return def;
}

const catalog::ProgramDef& Context::of_cpp(const catalog::ProgramDef& def) const {
  // Of two programs that are compared, one may be the file that the flags are for.
  for (const std::string& operand : {args.operand, args.second}) {
    const std::size_t settings = operand.find(".py@");
    if (data::names_program_file(settings == std::string::npos ? operand
                                                               : operand.substr(0, settings + 3)))
      return def;
  }
  for (const char* flag : {"--arg", "--path", "--reference"})
    if (args.has(flag))
      user_error("command-line", fmt::format("{} does not apply to {}", flag, def.name),
                 fmt::format("in {} {}", flag, args.text(flag)),
                 fmt::format("{} is no .py file, and {} is for .py files", def.name, flag),
                 instead_of(flag, args.text(flag), def));
  return def;
}

std::string Context::model_path() const {
  if (!args.has("--model")) refuse_no_model(args.command->name);
  const std::string path = args.text("--model");
  std::error_code ignored;  // a path that cannot be looked at is told when it is read
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
    refuse_missing_model(path);
  return path;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines{""};
  for (const std::string& word : split(text, ' ')) {
    const bool fits = lines.back().empty() || lines.back().size() + 1 + word.size() <= width;
    if (!fits) lines.emplace_back();
    lines.back() += lines.back().empty() ? word : " " + word;
  }
  return lines;
}

std::string keys_text(const std::vector<catalog::Key>& keys) {
  std::vector<std::string> words;
  for (const catalog::Key& k : keys) words.push_back(fmt::format("{}={}", k.name, k.value));
  std::string out;
  for (const std::string& line : wrapped(join(words, " "), kWidth - 2))
    if (!line.empty()) out += fmt::format("  {}\n", line);
  return out;
}

void print_diagnostics(const Context& c, std::ostream& stream, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.list()) {
    const std::string text = d.text();
    const std::size_t colon = text.find(':');
    const Colour colour = d.severity == Severity::Error     ? Colour::Red
                          : d.severity == Severity::Warning ? Colour::Yellow
                                                            : Colour::Bold;
    stream << c.paint(colour, text.substr(0, colon)) << text.substr(colon);
  }
}

std::string counts_text(const Diagnostics& diagnostics) {
  int64_t errors = 0, warnings = 0, notes = 0;
  for (const Diagnostic& d : diagnostics.list()) {
    errors += d.severity == Severity::Error;
    warnings += d.severity == Severity::Warning;
    notes += d.severity == Severity::Note;
  }
  std::vector<std::string> parts{errors ? counted(errors, "error") : "no errors"};
  if (warnings) parts.push_back(counted(warnings, "warning"));
  if (notes) parts.push_back(counted(notes, "note"));
  return join(parts, ", ");
}

}  // namespace tilewright::cli
