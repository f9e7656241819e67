#include "tilewright/cli/interrupt.h"

namespace tilewright::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

Interrupt::Interrupt(std::initializer_list<int> signals) {
  interrupted = false;
  for (const int signal : signals)
    before_.emplace_back(signal, std::signal(signal, [](int caught) {
                           if (!interrupted.exchange(true)) return;
                           std::signal(caught, SIG_DFL);  // who asks twice does not want to wait
                           std::raise(caught);
                         }));
}

Interrupt::~Interrupt() {
  for (const auto& [signal, handler] : before_) std::signal(signal, handler);
}

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

}  // namespace tilewright::cli
