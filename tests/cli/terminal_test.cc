// chat at a terminal: lines are edited, and come back with the arrow keys.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support.h"

namespace tilewright::cli {
namespace {

using Json = nlohmann::json;

constexpr const char *kLeft = "\033[D", *kUp = "\033[A", *kHome = "\033[H", *kDelete = "\033[3~";

// A command at a terminal of its own. Something is typed whenever it asks at the start of a line.
struct Typed {
  int code = -1;
  std::string shown;
};

Typed at_a_terminal(std::vector<std::string> words, const std::vector<std::string>& lines,
                    const std::string& state) {
  int terminal = -1;
  const winsize size{.ws_row = 40, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) return {};
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::setenv("XDG_STATE_HOME", state.c_str(), 1);
    ::setenv("HOME", state.c_str(), 1);
    words.insert(words.begin(), "tilewright");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    ::_exit(cli::main(static_cast<int>(argv.size()), argv.data(), {programs::tour()}));
  }
  Typed typed;
  std::size_t next = 0, seen = 0;
  for (char buffer[4096];;) {
    pollfd ready{.fd = terminal, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 60'000) <= 0) break;
    const ssize_t n = ::read(terminal, buffer, sizeof buffer);
    if (n <= 0) break;  // EIO: nobody has the other side any more
    typed.shown.append(buffer, static_cast<std::size_t>(n));
    const std::size_t prompt = typed.shown.find("\n> ", seen);
    if (prompt == std::string::npos || next == lines.size()) continue;
    seen = typed.shown.size();
    const std::string& line = lines[next++];
    if (::write(terminal, line.data(), line.size()) < 0) break;
  }
  ::kill(child, SIGKILL);  // one that hangs; another has ended
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  if (WIFEXITED(status)) typed.code = WEXITSTATUS(status);
  return typed;
}

Json messages_of(const std::string& file) {
  std::ifstream in(file);
  return Json::parse(std::string(std::istreambuf_iterator<char>(in), {}))["messages"];
}

TEST(ChatAtATerminal, EditsLinesAndKeepsThem) {
  // Keys that are typed before the editor has the terminal are lost, which happens on a busy machine.
  if (!std::getenv("TILEWRIGHT_TERMINAL_TEST"))
    GTEST_SKIP() << "set TILEWRIGHT_TERMINAL_TEST on a quiet machine";
  const TemporaryDirectory dir;
  ASSERT_EQ(call("make-model --shape tiny --seed 3 -o " + (dir / "tiny")).code, kFine);
  const std::vector<std::string> chat{"chat", "-m", dir / "tiny", "-n", "3", "--temp", "20"};
  const std::string save = "/save " + (dir / "chat.json") + "\r";
  const Typed first =
      at_a_terminal(chat,
                    {std::string("helo") + kLeft + "l\r",
                     std::string("xso") + kHome + kDelete + "\r", "caf\xC3\xA9x\x7F\r",
                     "half a line\x03", "\x12so\x03", std::string(kUp) + kUp + "\r", save, "\x04"},
                    dir / "state");
  EXPECT_EQ(first.code, kFine) << first.shown;
  const Json messages = messages_of(dir / "chat.json");
  std::vector<std::string> said;
  for (const Json& m : messages)
    if (m["role"] == "user") said.push_back(m["content"]);
  EXPECT_EQ(said, (std::vector<std::string>{"hello", "so", "caf\xC3\xA9", "so"})) << first.shown;

  // The next run has them, too: the last line was the command that saved.
  const Typed second =
      at_a_terminal(chat, {std::string(kUp) + kUp + "\r", save, "/exit\r"}, dir / "state");
  EXPECT_EQ(second.code, kFine) << second.shown;
  EXPECT_EQ(messages_of(dir / "chat.json")[0]["content"], "so") << second.shown;
  const auto mode = fs::status(dir / "state/tilewright/chat_history").permissions();
  EXPECT_EQ(mode & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
}

// A pipe is no terminal: nothing is asked and nothing is kept.
TEST(ChatAtATerminal, APipeLeavesNoHistory) {
  const TemporaryDirectory dir;
  ASSERT_EQ(call("make-model --shape tiny --seed 3 -o " + (dir / "tiny")).code, kFine);
  std::istringstream in("hello\n");
  Terminal terminal;
  terminal.input = &in;
  terminal.progress = true;
  const char* before = std::getenv("XDG_STATE_HOME");
  const std::string kept = before ? before : "";
  ::setenv("XDG_STATE_HOME", (dir / "state").c_str(), 1);
  const Outcome o = call("chat -n 3 -m " + (dir / "tiny"), {programs::tour()}, terminal);
  before ? ::setenv("XDG_STATE_HOME", kept.c_str(), 1) : ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(o.code, kFine);
  EXPECT_FALSE(contains(o.err, "> ")) << o.err;
  EXPECT_FALSE(fs::exists(dir / "state"));
}

}  // namespace
}  // namespace tilewright::cli
