// `tilewright watch`, or another command that serves, as a process of its own: what it prints, line by line, and how it ends.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tilewright {

class Watching {
 public:
  explicit Watching(std::vector<std::string> args, const std::string& command = "watch") {
    int output[2];
    if (::pipe2(output, O_CLOEXEC) != 0) return;
    args.insert(args.begin(), {TILEWRIGHT_EXECUTABLE, command});
    std::vector<char*> words;
    for (std::string& a : args) words.push_back(a.data());
    words.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(output[1], 1);
      ::dup2(output[1], 2);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    ::close(output[1]);
    from_ = output[0];
  }
  ~Watching() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    ::close(from_);
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  // The next line, or nothing when the process has ended or says nothing for so long.
  std::string line(int patience_ms = 30'000) {
    std::size_t end;
    while ((end = buffer_.find('\n')) == std::string::npos) {
      pollfd wait{from_, POLLIN, 0};
      if (::poll(&wait, 1, patience_ms) <= 0) return "";
      char bytes[4096];
      const ssize_t n = ::read(from_, bytes, sizeof bytes);
      if (n <= 0) return "";
      buffer_.append(bytes, static_cast<std::size_t>(n));
    }
    std::string out = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return out;
  }
  // Reads to the line with an address and takes it: "http://127.0.0.1:1234/".
  std::string address() {
    std::string first = line();
    while (!first.empty() && first.find("http://") == std::string::npos) first = line();
    const std::size_t begin = first.find("http://");
    return begin == std::string::npos ? "" : first.substr(begin, first.find(' ', begin) - begin);
  }
  void interrupt() { ::kill(process_, SIGINT); }
  void terminate() { ::kill(process_, SIGTERM); }
  // Waits for the end: its exit code, or -1 when a signal ended it or it does not end.
  int exit_code(int patience_ms = 30'000) {
    for (int waited = 0; waited < patience_ms; waited += 10) {
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_) {
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      }
      ::usleep(10'000);
    }
    return -1;
  }

 private:
  pid_t process_ = -1;
  int from_ = -1;
  std::string buffer_;
};

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
// As most editors save: a new file takes the place of the old.
inline void save_by_rename(const std::string& path, const std::string& text) {
  write_file(path + ".new", text);
  std::filesystem::rename(path + ".new", path);
}

// A program of one kernel whose tiles are `columns` wide.
inline std::string scaled_program(const std::string& columns) {
  return "import pypto.language as pl\n\nCOLUMNS = " + columns +
         "\n\n\n"
         "@pl.program\n"
         "class Scaled:\n"
         "    @pl.function(type=pl.FunctionType.Opaque)\n"
         "    def scaled(\n"
         "        self,\n"
         "        x: pl.Tensor[[64, 4096], pl.FP32],\n"
         "        y: pl.Out[pl.Tensor[[64, 4096], pl.FP32]],\n"
         "    ) -> pl.Tensor[[64, 4096], pl.FP32]:\n"
         "        for c in pl.parallel(4096 // COLUMNS):\n"
         "            with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"scale\"):\n"
         "                tile = pl.slice(x, [64, COLUMNS], [0, c * COLUMNS])\n"
         "                y = pl.assemble(y, pl.mul(tile, 0.5), [0, c * COLUMNS])\n"
         "        return y\n";
}

}  // namespace tilewright
