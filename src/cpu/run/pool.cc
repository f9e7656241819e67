#include "tilewright/cpu/run/pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

namespace tilewright::cpu {
namespace {

// About 50 us: longer than the gap between two runs of a decode loop, short beside a time slice.
constexpr int kSpins = 20000;

// Threads stay where they are when there is a core for each; a wish, not a need.
void pin(std::thread& worker, int thread) {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) <= thread) return;
  int index = thread;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || index-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(worker.native_handle(), sizeof one, &one);
    return;
  }
#else
  (void)worker;
  (void)thread;
#endif
}

}  // namespace

void relax(int& spins) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
  if (++spins % 256 == 0) std::this_thread::yield();
}

Pool::Pool(int threads) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int t = 1; t < threads; ++t) {
    workers_.emplace_back([this, t] { serve(t); });
    if (threads <= static_cast<int>(std::thread::hardware_concurrency())) pin(workers_.back(), t);
  }
}

Pool::~Pool() {
  stop_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& w : workers_) w.join();
}

void Pool::run(const std::function<void(int)>& work) {
  work_ = &work;
  busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  int spins = 0;
  while (busy_.load(std::memory_order_acquire) != 0) relax(spins);
}

void Pool::serve(int thread) {
  uint32_t seen = 0;
  for (;;) {
    int spins = 0;
    while (round_.load(std::memory_order_acquire) == seen && spins < kSpins) relax(spins);
    round_.wait(seen, std::memory_order_acquire);
    seen = round_.load(std::memory_order_acquire);
    if (stop_) return;
    (*work_)(thread);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace tilewright::cpu
