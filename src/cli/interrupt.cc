#include "tilewright/cli/interrupt.h"

#include <csignal>

namespace tilewright::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

Interrupt::Interrupt() {
  interrupted = false;
  before_ = std::signal(SIGINT, [](int signal) {
    if (!interrupted.exchange(true)) return;
    std::signal(signal, SIG_DFL);  // who asks twice does not want to wait
    std::raise(signal);
  });
}

Interrupt::~Interrupt() { std::signal(SIGINT, before_); }

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

}  // namespace tilewright::cli
