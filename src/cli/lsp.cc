// `lsp`: the language server, for editors, which start it.
#include "tilewright/lsp/server.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "tilewright/cli/context.h"
#include "tilewright/cli/flags.h"

namespace tilewright::cli {
namespace {

int run_lsp(const Context& c) {
  ::signal(SIGPIPE, SIG_IGN);  // an editor that is gone is seen when the next message is read
  if (::isatty(STDIN_FILENO))
    c.err
        << "tilewright lsp waits for an editor on stdin; docs/editor.md says how editors start it\n"
        << std::flush;
  return lsp::serve(STDIN_FILENO, STDOUT_FILENO, c.catalog, TILEWRIGHT_VERSION,
                    [&](const std::string& what) {
                      c.err << fmt::format("tilewright lsp: {}; the connection cannot go on\n",
                                           what)
                            << std::flush;
                    });
}

}  // namespace

const Command& lsp_command() {
  static const Command kCommand{
      .name = "lsp",
      .operand = "",
      .summary = "checks program files while you type, as a language server",
      .flags = {{"", "--stdio", "", "talks over stdin and stdout, as it always does"}, kHelp},
      .examples = {"lsp"},
      .note =
          "Editors start it and talk to it over stdin and stdout, in LSP 3.17. Platform,\n"
          "rules and the numbers of files are settings of the editor; see docs/editor.md.",
      .run = run_lsp,
  };
  return kCommand;
}

}  // namespace tilewright::cli
