#include "shell.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace tilewright::documents {
namespace fs = std::filesystem;
namespace {

constexpr int kMostSeconds = 600;

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char ch : word) out += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
  return out + "'";
}

}  // namespace

Ran run_in_shell(const std::string& line, const fs::path& directory, int seconds_until_interrupt) {
  const std::string limit =
      seconds_until_interrupt > 0
          ? "timeout --preserve-status --signal=INT " + std::to_string(seconds_until_interrupt)
          : "timeout --signal=KILL " + std::to_string(kMostSeconds);
  const std::string command =
      "cd " + quoted(directory.string()) + " && PATH=" + quoted(TILEWRIGHT_BIN) +
      ":\"$PATH\" NO_COLOR=1 TERM=dumb " + limit + " bash -c " + quoted(line) + " 2>&1 </dev/null";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot start a shell");
  Ran ran;
  std::array<char, 4096> part{};
  for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    ran.output.append(part.data(), n);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

fs::path fresh_checkout(const std::string& name) {
  const fs::path directory = fs::path(TILEWRIGHT_BUILD) / "documents" / name;
  fs::remove_all(directory);
  fs::create_directories(directory / "build/release");
  fs::create_directory_symlink(TILEWRIGHT_BIN, directory / "build/release/bin");
  for (const char* part : {"examples", "docs", "out", "tools"})
    if (const fs::path source = fs::path(TILEWRIGHT_SOURCE) / part; fs::exists(source))
      fs::create_directory_symlink(source, directory / part);
  // The real one builds first, and the presets of a reader are not the build under test.
  std::ofstream(directory / "dev")
      << "#!/bin/sh\n[ \"$1\" = run ] || exit 99\nshift\n"
         "TILEWRIGHT_CALLED_AS=\"$0 run\" exec tilewright \"$@\"\n";
  fs::permissions(directory / "dev", fs::perms::owner_all);
  return directory;
}

}  // namespace tilewright::documents
