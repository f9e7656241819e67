#include "tilewright/cli/cli.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>

#include "tilewright/base/check.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/cli/context.h"

#ifndef TILEWRIGHT_VERSION
#error "the build states the version"
#endif

namespace tilewright::cli {
namespace {

// An executable with one program of its own is that program: its bare name, or its name and flags,
// runs it.
std::vector<std::string> with_implied_run(std::vector<std::string> args,
                                          const catalog::Catalog& catalog) {
  if (catalog.all().size() != 1) return args;
  const std::string first = args.empty() ? "-" : args.front();
  const auto asks_of_tilewright = {"-h", "--help", "--version", "-v", "-V"};
  if (first.starts_with('-') &&
      std::ranges::find(asks_of_tilewright, first) == asks_of_tilewright.end())
    args.insert(args.begin(), "run");
  return args;
}

std::string line_of(const std::string& name, const std::vector<std::string>& args) {
  std::string line = name;
  for (const std::string& a : args) line += " " + shell_word(a);
  return line;
}

int dispatch(const std::vector<std::string>& args, const catalog::Catalog& catalog,
             std::ostream& out, std::ostream& err, const Terminal& terminal) {
  catalog.validate();
  const Arguments parsed = parse(with_implied_run(args, catalog), terminal.name);
  if (parsed.has("--version")) {
    out << "tilewright " << version() << "\n";
    return kFine;
  }
  if (parsed.has("--help")) {
    out << help_text(terminal.name, parsed.command);
    return kFine;
  }
  if (!parsed.command) {  // nothing was asked for, so nothing was done
    err << help_text(terminal.name, nullptr);
    return kMistake;
  }
  refuse_overwritten_inputs(parsed);
  const Context context{parsed, catalog, out, err, terminal};
  return parsed.command->run(context);
}

void print_mistake(Diagnostic d, std::ostream& err, const std::string& line) {
  if (d.where.empty()) d.where = "in: " + line;
  err << d.text();
}

// 0 when stdout is no terminal, or none that knows.
std::size_t columns_of_stdout() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void print_bug(const char* what, std::ostream& err, const std::string& line) {
  err << fmt::format(
      "internal error: {}\n"
      "  in: {}\n"
      "  this is a bug in tilewright, not an error in your input\n"
      "  help: report it with this message and the files that the command needs\n",
      what, line);
}

}  // namespace

std::string_view version() { return TILEWRIGHT_VERSION; }

int run_cli(const std::vector<std::string>& args, const catalog::Catalog& catalog,
            std::ostream& out, std::ostream& err, const Terminal& terminal) {
  const std::string line = line_of(terminal.name, args);
  try {
    const int code = dispatch(args, catalog, out, err, terminal);
    require_written(out);
    return code;
  } catch (const ProgramError& e) {
    print_mistake(e.diagnostic(), err, line);
    return kFailed;
  } catch (const UserError& e) {
    print_mistake(e.diagnostic(), err, line);
    return kMistake;
  } catch (const std::bad_alloc&) {
    print_mistake({Severity::Error, "memory", "not enough memory for this request", "",
                   "inputs, outputs and expected values must all fit in memory",
                   "choose a smaller shape or smaller sizes", ""},
                  err, line);
    return kMistake;
  } catch (const std::exception& e) {
    print_bug(e.what(), err, line);
    return kBug;
  } catch (...) {
    print_bug("an exception of unknown type", err, line);
    return kBug;
  }
}

int main(int argc, char** argv, const catalog::Catalog& catalog) {
  reserve_standard_streams();
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  Terminal terminal;
  if (argc > 0 && argv[0][0]) terminal.name = std::filesystem::path(argv[0]).filename().string();
  terminal.called = variable("TILEWRIGHT_CALLED_AS");  // ./dev run: the executable is not on the path
  const bool dumb = variable("TERM") == "dumb";
  terminal.progress = ::isatty(STDERR_FILENO) && !dumb;
  terminal.colour = terminal.progress && ::isatty(STDOUT_FILENO) && variable("NO_COLOR").empty();
  terminal.columns = columns_of_stdout();
  terminal.simd = variable("TILEWRIGHT_SIMD");
  return run_cli({argv + (argc > 0), argv + argc}, catalog, std::cout, std::cerr, terminal);
}

}  // namespace tilewright::cli
