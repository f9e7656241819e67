// The program as a process: closed streams, signals, and what it leaves behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "../temporary_directory.h"
#include "shell.h"

namespace tilewright::documents {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

std::string shell_line(const std::string& line) {
  return run_in_shell(line, fs::temp_directory_path()).output;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Stdout, ClosedIsNoFullDisk) {
  const std::string said = shell_line("tilewright list >&-; echo code $?");
  EXPECT_TRUE(says(said, "stdout is closed")) << said;
  EXPECT_FALSE(says(said, "disk")) << said;
  EXPECT_TRUE(says(said, "code 2")) << said;
}

TEST(Stdout, FullDiskIsOne) {
  const std::string said = shell_line("tilewright list >/dev/full");
  EXPECT_TRUE(says(said, "no space left") && says(said, "disk")) << said;
}

TEST(Stdout, ReaderThatEndsIsNamed) {
  // Only a write after the reader has ended fails, so the first loop waits for that.
  const std::string said = shell_line(
      "(trap '' PIPE; while printf x 2>/dev/null; do :; done; tilewright help; true) | true");
  EXPECT_TRUE(says(said, "the program that reads the output has ended")) << said;
}

// The first file that is opened would get the number of a closed stdout, and the text with it.
TEST(Stdout, ClosedDoesNotGoIntoTheJson) {
  const TemporaryDirectory directory;
  const Ran ran =
      run_in_shell("tilewright list --json list.json >&-; cat list.json", directory.path);
  EXPECT_FALSE(says(ran.output, "what it is")) << ran.output;
}

TEST(List, NamesAreWholeInAPipe) {
  const std::string said = shell_line("tilewright list | cat");
  EXPECT_FALSE(says(said, "..\n")) << said;
  EXPECT_TRUE(says(said, "RMSNorm, then a matmul with a residual: one of everything\n")) << said;
}

// Starts the program, waits until `directory` holds a temporary one, and sends the signal.
int ended_by(int signal, const std::vector<const char*>& words, const fs::path& directory) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, STDOUT_FILENO);
    std::vector<char*> args;
    for (const char* word : words) args.push_back(const_cast<char*>(word));
    args.push_back(nullptr);
    std::signal(SIGINT, SIG_DFL);
    ::execv(TILEWRIGHT_BIN "/tilewright", args.data());
    ::_exit(127);
  }
  const auto deadline = steady_clock::now() + std::chrono::seconds(60);
  while (fs::is_empty(directory) && steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(fs::is_empty(directory)) << "nothing temporary was made";
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(Signal, SavedDataLeavesNothingWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryDirectory directory;
    const std::string data = directory / "data";
    EXPECT_EQ(ended_by(signal,
                       {"tilewright", "run", "qwen3/decode", "--shape", "qwen3-0.6b", "--save-data",
                        data.c_str()},
                       directory.path),
              signal);
    EXPECT_TRUE(fs::is_empty(directory.path));
  }
}

TEST(Signal, MadeModelLeavesNothingWhenInterrupted) {
  const TemporaryDirectory directory;
  const std::string model = directory / "model";
  EXPECT_EQ(ended_by(SIGINT,
                     {"tilewright", "make-model", "--shape", "qwen3-0.6b", "-o", model.c_str()},
                     directory.path),
            SIGINT);
  EXPECT_TRUE(fs::is_empty(directory.path));
}

TEST(Signal, IgnoredOnesStayIgnored) {
  const TemporaryDirectory directory;
  const Ran ran = run_in_shell(
      "(trap '' HUP; tilewright make-model --shape tiny -o model & pid=$!; kill -HUP $pid; wait "
      "$pid)",
      directory.path);
  EXPECT_EQ(ran.code, 0) << ran.output;
}

TEST(MakeModel, FailureLeavesNothing) {
  const TemporaryDirectory directory;
  // Files may have 40 blocks: the weights do not fit.
  const Ran ran =
      run_in_shell("trap '' XFSZ; ulimit -f 40; tilewright make-model --shape tiny -o a/b/model",
                   directory.path);
  EXPECT_EQ(ran.code, 2) << ran.output;
  EXPECT_TRUE(fs::is_empty(directory.path)) << ran.output;
}

}  // namespace
}  // namespace tilewright::documents
