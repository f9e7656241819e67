// `completion`: scripts that complete commands, flags, programs and the values of flags. Everything
// they offer is written into the script; they call nothing.
#include <fmt/format.h>

#include <cctype>
#include <set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/completion_words.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"

namespace tilewright::cli {
namespace {

// A shell function's name.
std::string identifier(const std::string& name) {
  std::string out = "_";
  for (char ch : name) out += std::isalnum(static_cast<unsigned char>(ch)) ? ch : '_';
  return out;
}

std::string patterns(const Flag& f) {
  return f.short_name.empty() ? std::string(f.name) : fmt::format("{}|{}", f.short_name, f.name);
}

std::string bash_script(const std::string& name, const catalog::Catalog& catalog) {
  std::string values, words;
  std::set<std::string_view> seen;
  for (const Command& c : commands()) {
    if (c.hidden) continue;
    std::vector<std::string> all = operands_of(c, catalog);
    for (const Flag& f : c.flags) {
      if (!f.short_name.empty()) all.emplace_back(f.short_name);
      all.emplace_back(f.name);
      if (f.value.empty() || !seen.insert(f.name).second) continue;
      values += fmt::format("    {}) words=\"{}\"; files={} ;;\n", patterns(f),
                            join(values_of(f, catalog), " "), names_a_file(f) ? 1 : 0);
    }
    words += fmt::format("      {}) words=\"{}\"; files={} ;;\n", c.name, join(all, " "),
                         takes_a_file(c) ? 1 : 0);
  }
  return fmt::format(
      R"(# bash completion for {0}
{1}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} words="" files=0
  case $prev in
{2}    *)
    if [ "$COMP_CWORD" -eq 1 ]; then words="{4} --help --version"
    else case ${{COMP_WORDS[1]}} in
{3}    esac; fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [ "$files" -eq 1 ]; then COMPREPLY+=($(compgen -f -- "$cur")); fi
  case ${{COMPREPLY[0]}} in *=) compopt -o nospace 2>/dev/null ;; esac
}}
complete -F {1} {0}
)",
      name, identifier(name), values, words, join(command_names(), " "));
}

// What offers words, files, or both.
std::string zsh_action(const std::vector<std::string>& words, bool files) {
  if (words.empty()) return files ? "_files" : "";
  const bool unfinished = words.front().ends_with('=');  // no space after KEY=
  return fmt::format("{{compadd {}-- {}{}}}", unfinished ? "-S \"\" " : "", join(words, " "),
                     files ? "; _files" : "");
}

std::string zsh_flag(const Flag& f, const catalog::Catalog& catalog) {
  const std::string value =
      f.value.empty()
          ? ""
          : fmt::format(":{}:{}", f.value, zsh_action(values_of(f, catalog), names_a_file(f)));
  const std::string rest = fmt::format("[{}]{}'", f.help, value);
  std::string out = fmt::format("'{}{}{}", f.repeatable ? "*" : "", f.name, rest);
  if (!f.short_name.empty()) out += fmt::format(" '{}{}", f.short_name, rest);
  return out;
}

std::string zsh_script(const std::string& name, const catalog::Catalog& catalog) {
  std::string described, cases;
  for (const Command& c : commands()) {
    if (c.hidden) continue;
    described += fmt::format("    '{}:{}'\n", c.name, c.summary);
    cases += fmt::format("    {})\n      _arguments", c.name);
    for (const Flag& f : c.flags) cases += fmt::format(" \\\n        {}", zsh_flag(f, catalog));
    if (!c.operand.empty())
      cases += fmt::format(" \\\n        '*:operand:{}'",
                           zsh_action(operands_of(c, catalog), takes_a_file(c)));
    cases += " ;;\n";
  }
  return fmt::format(
      R"(#compdef {0}
{1}() {{
  local -a commands
  commands=(
{2}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{3}  esac
}}
# Loaded by its first use this file is the function; sourced it only announces it.
if [ "$funcstack[1]" = "{1}" ]; then {1} "$@"; else compdef {1} {0}; fi
)",
      name, identifier(name), described, cases);
}

int run_completion(const Context& c) {
  const std::string& shell = c.args.operand;
  if (shell == "bash") {
    c.out << bash_script(c.terminal.name, c.catalog);
  } else if (shell == "zsh") {
    c.out << zsh_script(c.terminal.name, c.catalog);
  } else if (shell == "fish") {
    c.out << fish_script(c.terminal.name, c.catalog);
  } else {
    user_error("command-line",
               shell.empty() ? "completion needs the name of a shell"
                             : fmt::format("unknown shell \"{}\"", shell),
               "", "completion scripts exist for bash, zsh and fish",
               fmt::format("write {} completion bash", c.terminal.name));
  }
  return kFine;
}

}  // namespace

const Command& completion_command() {
  static const Command kCommand{
      .name = "completion",
      .operand = "bash|zsh|fish",
      .summary = "prints a completion script for a shell",
      .flags = {kHelp},
      .examples = {"completion bash > tilewright.bash",
                   "completion fish > ~/.config/fish/completions/tilewright.fish"},
      .run = run_completion,
  };
  return kCommand;
}

}  // namespace tilewright::cli
