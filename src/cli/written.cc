// Whether what was written has arrived, and if not, why.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

#include "tilewright/base/diagnostic.h"
#include "tilewright/cli/context.h"

namespace tilewright::cli {
namespace {

struct Problem {
  std::string what, help;
};

// An error code alone does not tell: a stream keeps that it failed, not why.
Problem problem_of_stdout(int error) {
  const int mode = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
    return {"stdout is closed", "leave out >&-, or send the output to /dev/null"};
  pollfd reader{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR))
    return {"the program that reads the output has ended", "let it read to the end"};
  if (error == ENOSPC) return {"no space left on the device", "check the space left on the disk"};
  return {error ? std::strerror(error) : "a write failed",
          "check where stdout leads, and the space left there"};
}

}  // namespace

void require_written(std::ostream& out) {
  errno = 0;
  out.flush();
  if (out) return;
  const int error = errno;
  const bool is_stdout = out.rdbuf() == std::cout.rdbuf();
  const Problem problem = is_stdout ? problem_of_stdout(error)
                                    : Problem{"the stream has failed", "check where it leads"};
  user_error("output", fmt::format("the output could not be written: {}", problem.what), "",
             "a command succeeds only if all of its output is written", problem.help);
}

void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // Takes the lowest free number, which is this one. The wrong way round, so that its use fails.
    const int way = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", way) < 0) return;
  }
}

}  // namespace tilewright::cli
