// What a command works with: the parsed line, the programs, and the streams.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/cli/arguments.h"
#include "tilewright/cli/cli.h"
#include "tilewright/session/request.h"

namespace tilewright::cli {

inline constexpr std::size_t kWidth = 80;  // columns of a report

enum class Colour { Red, Green, Yellow, Bold };

struct Context {
  const Arguments& args;
  const catalog::Catalog& catalog;
  std::ostream& out;
  std::ostream& err;
  const Terminal& terminal;
  mutable std::map<std::string, catalog::ProgramDef> files = {};  // read so far, by operand

  // Where words for people go: with --json - stdout belongs to the JSON.
  std::ostream& words() const { return args.text("--json") == "-" ? err : out; }
  // For a table with texts: as wide as the terminal. In a pipe nothing is cut.
  std::size_t columns() const { return terminal.columns > 0 ? terminal.columns : 10000; }
  std::string paint(Colour colour, const std::string& text) const;
  // "tour: shape default", the name in bold; a file has no shapes to name.
  std::string heading(const std::string& program, const std::string& shape) const;
  // The program the operand names; it may be left out when there is only one.
  const catalog::ProgramDef& program() const;
  // A program of the catalog, or of a file such as layer.py or layer.py::Program.
  const catalog::ProgramDef& find(const std::string& operand) const;
  // The program of a file as it is now; `looked_for` hears what decides it (data/program_file.h).
  catalog::ProgramDef read(const std::string& operand,
                           const std::function<void(const std::string&)>& looked_for = {}) const;
  // `def`, which is of C++: UserError for flags that say something of .py files only.
  const catalog::ProgramDef& of_cpp(const catalog::ProgramDef& def) const;
  // The path of -m, which is needed.
  std::string model_path() const;
  // What the flags of the command say of platform, shape, keys, seed, rules and limits.
  session::Request request(const std::string& default_platform = "cpu") const;
  session::Request request_on(const std::string& platform) const;
};

// Throws UserError when what was written did not arrive.
void require_written(std::ostream& out);
// A closed stdin, stdout or stderr becomes one that refuses every use. Otherwise the next file to be
// opened would get its number, and with it the text that is meant for the stream.
void reserve_standard_streams();

// Words on lines of at most `width` characters.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);
// "rows=16 hidden=256", indented and wrapped at 80 columns.
std::string keys_text(const std::vector<catalog::Key>& keys);
// Each diagnostic with its first word coloured.
void print_diagnostics(const Context& c, std::ostream& stream, const Diagnostics& diagnostics);
// "2 errors, 1 warning"; "no errors" when there is nothing to count.
std::string counts_text(const Diagnostics& diagnostics);

using Meanings = std::vector<std::pair<std::string_view, std::string_view>>;
const Meanings& exit_codes();
const Meanings& variables();  // of the environment
std::string_view program_note();  // what PROGRAM may be
std::string_view version();
// Help for everything, or for one command.
std::string help_text(const std::string& name, const Command* command);

}  // namespace tilewright::cli
