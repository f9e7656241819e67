#include "machine.h"

#include <sys/resource.h>

#include <atomic>
#include <cstring>

#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::bench {
namespace {

// Larger than any cache in sight: a server's last level holds hundreds of MiB.
constexpr int64_t kReadBytes = int64_t{1} << 30;
constexpr int64_t kFmaRounds = int64_t{1} << 22;

std::atomic<uint64_t> sink;  // keeps the loops from being optimised away

}  // namespace

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Machine::Machine(cpu::Pool& pool) : pool_(pool), memory_(kReadBytes) {
  std::memset(memory_.data(), 1, static_cast<std::size_t>(kReadBytes));
}

void Machine::measure() {
  const cpu::simd::Kernels& k = cpu::simd::best_kernels();
  const int64_t share = kReadBytes / pool_.threads() / 4096 * 4096;
  double start = now_seconds();
  pool_.run([&](int t) { sink += k.read_all(memory_.data() + t * share, share); });
  seconds_per_byte_.add((now_seconds() - start) /
                        static_cast<double>(share * pool_.threads()));
  start = now_seconds();
  pool_.run([&](int) { sink += static_cast<uint64_t>(k.fma_rounds(kFmaRounds)); });
  const double flops = 2.0 * cpu::simd::kFmaPerRound * kFmaRounds * pool_.threads();
  seconds_per_flop_.add((now_seconds() - start) / flops);
}

}  // namespace tilewright::bench
