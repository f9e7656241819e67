#include "tilewright/cli/context.h"

#include <fmt/format.h>

#include "tilewright/base/text.h"

namespace tilewright::cli {
namespace {

constexpr std::size_t kWidth = 80;

const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::Red: return "1;31";
    case Colour::Green: return "1;32";
    case Colour::Yellow: return "1;33";
    case Colour::Bold: return "1";
    case Colour::Dim: return "2";
  }
  return "0";
}

}  // namespace

std::string Context::paint(Colour colour, const std::string& text) const {
  return terminal.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code_of(colour), text) : text;
}

const catalog::ProgramDef& Context::program() const {
  if (!args.operand.empty()) return catalog.find(args.operand);
  if (catalog.all().size() == 1) return catalog.all().front();
  user_error("program", fmt::format("{} needs a program", args.command->name), "",
             "a program is chosen by its name",
             fmt::format("the programs are: {}",
                         catalog.all().empty() ? "none" : join(catalog.names(), ", ")));
}

harness::Request Context::request() const {
  harness::Request request = harness::request_for(args.text("--platform", "cpu"));
  request.shape = args.text("--shape");
  request.set = args.assignments();
  request.budget = args.budget();
  request.seed = args.number("--seed").value_or(harness::kDefaultSeed);
  return request;
}

std::string keys_text(const std::vector<catalog::Key>& keys) {
  std::string out, line = " ";
  for (const catalog::Key& k : keys) {
    const std::string word = fmt::format(" {}={}", k.name, k.value);
    if (line.size() + word.size() > kWidth) {
      out += line + "\n";
      line = " ";
    }
    line += word;
  }
  return keys.empty() ? out : out + line + "\n";
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
