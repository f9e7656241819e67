// `help` and --help, from the table of commands.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"

namespace tilewright::cli {
namespace {

// "  name  text", the text wrapped below itself.
std::string entry(std::string_view name, std::string_view text, std::size_t column) {
  std::string out;
  for (const std::string& line : wrapped(std::string(text), kWidth - column)) {
    out += fmt::format("{:<{}}{}\n", out.empty() ? fmt::format("  {}", name) : "", column, line);
  }
  return out;
}

std::string overview(const std::string& name) {
  std::string out = fmt::format(
      "Tilewright checks, predicts, runs and improves tile programs, and runs models.\n\n"
      "usage: {0} COMMAND [PROGRAM] [FLAGS]\n"
      "       {0} --version\n\n"
      "commands:\n",
      name);
  for (const Command& c : commands())
    if (!c.hidden) out += entry(c.name, c.summary, 14);
  out += fmt::format("\n{} help COMMAND lists the flags of a command.\n", name);
  for (const std::string& line : wrapped(std::string(program_note()), kWidth)) out += line + "\n";
  out += "\nexit codes:\n";
  for (const auto& [code, meaning] : exit_codes()) out += entry(code, meaning, 7);
  return out;
}

std::string names_of(const Flag& f) {
  std::string out = f.short_name.empty() ? "    " : fmt::format("{}, ", f.short_name);
  out += f.name;
  if (!f.value.empty()) out += fmt::format(" {}", f.value);
  return out;
}

}  // namespace

const Meanings& exit_codes() {
  static const Meanings kCodes{{"0", "fine"},
                               {"1", "the program is wrong: a check or a comparison failed"},
                               {"2", "the request is wrong: a flag, a file or a number"},
                               {"3", "a bug of tilewright"},
                               {"130", "ended by Ctrl-C; a text that generate has made so far is kept"}};
  return kCodes;
}

const Meanings& variables() {
  static const Meanings kVariables{
      {"NO_COLOR", "If it is set and not empty, no colours are printed."},
      {"TILEWRIGHT_API_KEY", "A key that clients of serve must send."},
      {"TILEWRIGHT_SIMD",
       "The instruction set for programs on this CPU, by name; the best one by default."}};
  return kVariables;
}

std::string_view program_note() {
  return "PROGRAM is a name that list prints, or a Python file: layer.py, or layer.py::NAME when the "
         "file holds several programs. It may be left out when there is only one.";
}

std::string help_text(const std::string& name, const Command* command) {
  if (!command) return overview(name);
  std::string out = fmt::format("{} {}: {}\n\nusage: {} {}", name, command->name, command->summary,
                                name, command->name);
  if (!command->operand.empty()) out += fmt::format(" {}", command->operand);
  out += " [FLAGS]\n\n";
  if (!command->note.empty()) out += fmt::format("{}\n\n", command->note);
  out += "flags:\n";
  for (const Flag& f : command->flags) out += fmt::format("  {:<24}  {}\n", names_of(f), f.help);
  out += "\nexamples:\n";
  for (std::string_view e : command->examples) out += fmt::format("  {} {}\n", name, e);
  return out;
}

namespace {

int run_help(const Context& c) {
  const Command* topic = nullptr;
  if (!c.args.operand.empty()) {
    topic = find_command(c.args.operand);
    if (!topic)
      user_error("command-line",
                 fmt::format("unknown command \"{}\"{}", c.args.operand,
                             did_you_mean(c.args.operand, command_names())),
                 "", "help takes the name of a command",
                 fmt::format("the commands are: {}", join(command_names(), ", ")));
  }
  c.out << help_text(c.terminal.name, topic);
  return kFine;
}

}  // namespace

const Command& help_command() {
  static const Command kCommand{
      .name = "help",
      .operand = "[COMMAND]",
      .summary = "lists the commands, or the flags of one command",
      .flags = {kHelp},
      .examples = {"help run"},
      .run = run_help,
  };
  return kCommand;
}

}  // namespace tilewright::cli
