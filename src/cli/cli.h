// The command line. The only room with argv, the environment, stdout and exit codes. A user's own
// file ends in `return tilewright::cli::main(argc, argv, {my_program()});` and has every command.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"

namespace tilewright::cli {

enum ExitCode : int {
  kFine = 0,
  kFailed = 1,   // a check or a comparison failed
  kMistake = 2,  // the user's: a flag, a file, a number
  kBug = 3,      // ours
};

// How the user sees us; found out by `main`, stated by tests.
struct Terminal {
  std::string name = "tilewright";  // of the executable
  bool colour = false;              // both streams are terminals and NO_COLOR is not set
  bool progress = false;            // stderr is a terminal
  std::size_t columns = 0;          // of stdout; 0 when it is no terminal, and lines are not cut
  std::istream* input = nullptr;    // what `chat` reads; nothing = stdin
  std::string simd = {};            // instruction set by name; nothing = the best of this machine
  std::string called = {};          // how commands in messages begin, if not with the name

  const std::string& command() const { return called.empty() ? name : called; }
};

// The whole command line without the process around it: `args` is argv without its first word.
int run_cli(const std::vector<std::string>& args, const catalog::Catalog& catalog,
            std::ostream& out, std::ostream& err, const Terminal& terminal = {});

int main(int argc, char** argv, const catalog::Catalog& catalog);

}  // namespace tilewright::cli
