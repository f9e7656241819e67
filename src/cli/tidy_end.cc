#include "tilewright/cli/tidy_end.h"

#include <csignal>
#include <cstdlib>

#include "tilewright/base/temporary_path.h"

namespace tilewright::cli {
namespace {

constexpr int kDone = SIGUSR2;  // to the waiting thread alone

// Without those that the process ignores, as nohup and shells ask for.
sigset_t requests_to_end() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(&set, signal);
  }
  return set;
}

[[noreturn]] void end_by(int signal) {
  TemporaryPath::remove_all_alive();
  std::signal(signal, SIG_DFL);
  const sigset_t set = requests_to_end();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(signal);
  std::abort();  // not reached: the default of these signals ends the process
}

}  // namespace

TidyEnd::TidyEnd() {
  sigset_t set = requests_to_end();
  sigaddset(&set, kDone);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiting_ = std::thread([this, set] {
    int signal = 0;
    sigwait(&set, &signal);
    if (signal != kDone) end_by(signal);
  });
}

TidyEnd::~TidyEnd() {
  ::pthread_kill(waiting_.native_handle(), kDone);
  waiting_.join();
  const sigset_t set = requests_to_end();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace tilewright::cli
