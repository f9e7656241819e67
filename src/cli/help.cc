// `help` and --help, from the table of commands.
#include <fmt/format.h>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"

namespace tilewright::cli {
namespace {

std::string overview(const std::string& name) {
  std::string out = fmt::format(
      "Tilewright checks, runs and predicts tile programs, and runs whole models.\n\n"
      "usage: {0} COMMAND [PROGRAM] [FLAGS]\n"
      "       {0} --version\n\n"
      "commands:\n",
      name);
  for (const Command& c : commands()) out += fmt::format("  {:<12}{}\n", c.name, c.summary);
  out += fmt::format(
      "\n'{0} help COMMAND' lists the flags of a command.\n"
      "PROGRAM is a name that '{0} list' prints, or a Python file: layer.py, or\n"
      "layer.py::NAME if the file holds several programs. Omit PROGRAM if there is only\n"
      "one.\n\n"
      "exit codes: 0 success, 1 a check or comparison failed, 2 invalid request,\n"
      "            3 internal error, 130 text generation stopped by Ctrl-C\n",
      name);
  return out;
}

std::string names_of(const Flag& f) {
  std::string out = f.short_name.empty() ? "    " : fmt::format("{}, ", f.short_name);
  out += f.name;
  if (!f.value.empty()) out += fmt::format(" {}", f.value);
  return out;
}

}  // namespace

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
