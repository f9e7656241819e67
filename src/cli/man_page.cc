// `man-page`: tilewright(1) from the table of commands. The build calls it; help does not list it.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"

namespace tilewright::cli {
namespace {

// Text as roff takes it: no character of it is a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char ch : text) {
    if ((ch == '.' || ch == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (ch == '\\') {
      out += "\\e";
    } else if (ch == '-') {
      out += "\\-";
    } else {
      out += ch;
    }
  }
  return out;
}

std::string flag_entry(const Flag& f) {
  std::string names = f.short_name.empty() ? "" : fmt::format("\\fB{}\\fR, ", roff(f.short_name));
  names += fmt::format("\\fB{}\\fR", roff(f.name));
  if (!f.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(f.value));
  return fmt::format(".TP\n{}\n{}\n", names, roff(f.help));
}

std::string command_section(const std::string& name, const Command& c) {
  std::string out = fmt::format(".SS \"{} {}{}{}\"\n{}.\n", roff(name), roff(c.name),
                                c.operand.empty() ? "" : " ", roff(c.operand), roff(c.summary));
  if (!c.note.empty()) out += fmt::format(".PP\n{}\n", roff(c.note));
  for (const Flag& f : c.flags) out += flag_entry(f);
  if (!c.examples.empty()) out += ".PP\nExamples:\n.PP\n.nf\n.RS\n";
  for (const std::string_view e : c.examples) out += roff(fmt::format("{} {}", name, e)) + "\n";
  return out + (c.examples.empty() ? "" : ".RE\n.fi\n");
}

std::string man_page(const std::string& name) {
  std::string out = fmt::format(
      ".TH TILEWRIGHT 1 \"\" \"tilewright {0}\" \"User Commands\"\n"
      ".SH NAME\n{1} \\- checks, predicts, runs and improves tile programs\n"
      ".SH SYNOPSIS\n.B {1}\n\\fICOMMAND\\fR [\\fIPROGRAM\\fR] [\\fIFLAGS\\fR]\n.br\n"
      ".B {1}\n\\-\\-version\n"
      ".SH DESCRIPTION\n{2}\n.SH COMMANDS\n",
      roff(version()), roff(name), roff(program_note()));
  for (const Command& c : commands())
    if (!c.hidden) out += command_section(name, c);
  out += ".SH \"EXIT STATUS\"\n";
  for (const auto& [code, meaning] : exit_codes())
    out += fmt::format(".TP\n{}\n{}\n", code, roff(meaning));
  out += ".SH ENVIRONMENT\n";
  for (const auto& [variable, meaning] : variables())
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", variable, roff(meaning));
  return out;
}

int run_man_page(const Context& c) {
  c.out << man_page(c.terminal.name);
  return kFine;
}

}  // namespace

const Command& man_page_command() {
  static const Command kCommand{
      .name = "man-page",
      .operand = "",
      .summary = "prints the man page",
      .flags = {kHelp},
      .examples = {"man-page > tilewright.1"},
      .run = run_man_page,
      .hidden = true,
  };
  return kCommand;
}

}  // namespace tilewright::cli
