#include "tilewright/runtime/machine.h"

#include <sys/resource.h>
#include <time.h>

#include <atomic>
#include <cstring>

#include "tilewright/cpu/simd/kernels.h"

namespace tilewright::runtime {
namespace {

// Larger than any cache in sight: a server's last level holds hundreds of MiB. What is smaller is
// read so often that as many bytes come together.
constexpr int64_t kReadBytes = int64_t{1} << 30;
// As long as a layer takes: a shorter burst may run at a clock that does not last.
constexpr int64_t kFmaRounds = int64_t{1} << 24;

std::atomic<uint64_t> sink;  // keeps the loops from being optimised away

}  // namespace

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Machine::Machine(cpu::Pool& pool, cpu::InstructionSet instructions)
    : pool_(pool), instructions_(instructions) {}

void Machine::read_from(Regions regions) {
  regions_ = std::move(regions);
  std::erase_if(regions_, [&](const auto& r) { return share_of(r) == 0; });  // too small to share
  memory_ = {};
}

// What one thread reads of a region: the loop reads whole pieces of 256 bytes.
int64_t Machine::share_of(std::span<const std::byte> region) const {
  return static_cast<int64_t>(region.size()) / pool_.threads() / 256 * 256;
}

void Machine::read_memory() {
  if (regions_.empty()) {
    memory_ = cpu::HugePages(kReadBytes);
    std::memset(memory_.data(), 1, static_cast<std::size_t>(kReadBytes));
    regions_ = {memory_.all()};
  }
  int64_t bytes = 0;
  for (const auto& r : regions_) bytes += share_of(r) * pool_.threads();
  const int64_t times = std::max<int64_t>(1, kReadBytes / bytes);
  time(static_cast<double>(bytes * times), seconds_per_byte_, cpu_seconds_per_byte_, [&](int t) {
    for (int64_t i = 0; i < times; ++i)
      for (const auto& r : regions_)
        sink += instructions_.kernels().read_all(r.data() + t * share_of(r), share_of(r));
  });
}

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double Machine::peak_rss_mib() const {
  return runtime::peak_rss_mib() - static_cast<double>(memory_.bytes()) / (1 << 20);
}

void Machine::forget() {
  for (Samples* s : {&seconds_per_byte_, &seconds_per_fma_flop_, &seconds_per_flop_,
                     &seconds_per_integer_op_, &cpu_seconds_per_byte_, &cpu_seconds_per_fma_flop_,
                     &cpu_seconds_per_flop_, &cpu_seconds_per_integer_op_})
    s->clear();
}

void Machine::time(double count, Samples& wall, Samples& cpu,
                   const std::function<void(int)>& work) {
  const double start = now_seconds();
  const double cpu_start = cpu_seconds();
  pool_.run(work);
  wall.add((now_seconds() - start) / count);
  cpu.add((cpu_seconds() - cpu_start) / count);
}

void Machine::measure() {
  read_memory();
  const auto multiply = [&](auto rounds_of, int64_t rounds, Samples& wall, Samples& cpu) {
    time(2.0 * cpu::simd::kFmaPerRound * static_cast<double>(rounds * pool_.threads()), wall, cpu,
          [&](int) { sink += static_cast<uint64_t>(rounds_of(rounds) != 0); });
  };
  multiply(instructions_.kernels().fma_rounds, kFmaRounds, seconds_per_fma_flop_,
           cpu_seconds_per_fma_flop_);
  multiply(instructions_.kernels().integer_rounds, 2 * kFmaRounds, seconds_per_integer_op_,
           cpu_seconds_per_integer_op_);
  // More of them, for about as long.
  if (own_unit())
    multiply(instructions_.kernels().product_rounds, 8 * kFmaRounds, seconds_per_flop_,
             cpu_seconds_per_flop_);
}

}  // namespace tilewright::runtime
