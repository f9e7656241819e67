// The limits of this machine for a pool of threads, and how a measurement compares with them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "tilewright/cpu/instruction_set.h"
#include "tilewright/cpu/run/huge_pages.h"
#include "tilewright/cpu/run/pool.h"

namespace tilewright::runtime {

inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of the whole process: on a shared machine a thread's own time tells what its neighbours took away
// from the wall clock.
double cpu_seconds();

// The most memory this process has held so far.
double peak_rss_mib();

// Repeated measurements of one thing.
class Samples {
 public:
  void add(double x) { all_.push_back(x); }
  void clear() { all_.clear(); }
  std::size_t count() const { return all_.size(); }
  double best() const { return *std::min_element(all_.begin(), all_.end()); }
  double median() const {
    std::vector<double> sorted = all_;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(sorted.size() / 2),
                     sorted.end());
    return sorted[sorted.size() / 2];
  }

  double mean() const {
    return std::accumulate(all_.begin(), all_.end(), 0.0) / static_cast<double>(all_.size());
  }
  double deviation() const {  // of the samples, as llama-bench has it
    double sum = 0;
    for (const double x : all_) sum += (x - mean()) * (x - mean());
    return all_.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(all_.size() - 1));
  }

 private:
  std::vector<double> all_;
};

// A time as a share of the least that the limits allow. A run that beats them shows that they were
// measured in a slower moment: it is then the limit itself.
inline double reach(double least_seconds, double seconds) {
  return std::min(1.0, least_seconds / seconds);
}

// The best that was measured.
struct Limits {
  double bytes_per_second = 0;
  double flops_per_second = 0;        // of products of BF16: by fma, or by a unit made for them
  double fma_flops_per_second = 0;    // of FP32
  double integer_ops_per_second = 0;  // of products of bytes
};

class Machine {
 public:
  using Regions = std::vector<std::span<const std::byte>>;

  // `instructions`: how products are made whose limit is measured.
  explicit Machine(cpu::Pool& pool,
                   cpu::InstructionSet instructions = cpu::InstructionSet::exact());
  // Bandwidth is measured on this memory from now on. The same machine reads one buffer at 39 GB/s
  // and another at 62, so what reads some memory is held against a loop that reads the same.
  // Without regions, or before this is called, it is measured on memory of its own.
  void read_from(Regions regions);
  // One measurement of each limit; called between measurements of what is compared with them.
  void measure();
  // Starts anew, so that each of several cases is held against as many measurements of the limits
  // as it has of its own.
  void forget();
  // Of the measurements since the last `forget`.
  std::size_t measurements() const { return seconds_per_byte_.count(); }
  Limits limits() const {
    return {bytes_per_second(), flops_per_second(), fma_flops_per_second(),
            integer_ops_per_second()};
  }
  double bytes_per_second() const { return 1 / seconds_per_byte_.best(); }
  double fma_flops_per_second() const { return 1 / seconds_per_fma_flop_.best(); }
  // Of products of BF16: those of fma, or of a unit made for them.
  double flops_per_second() const { return 1 / product_seconds().best(); }
  double integer_ops_per_second() const { return 1 / seconds_per_integer_op_.best(); }
  // By the threads' own time, all threads together.
  double flops_per_cpu_second() const { return 1 / product_cpu_seconds().best(); }
  double bytes_per_cpu_second() const { return 1 / cpu_seconds_per_byte_.best(); }
  cpu::Pool& pool() { return pool_; }
  // Without what bandwidth is measured on.
  double peak_rss_mib() const;

 private:
  // Whether products have a unit of their own.
  bool own_unit() const { return instructions_.has_product_unit(); }
  const Samples& product_seconds() const {
    return own_unit() ? seconds_per_flop_ : seconds_per_fma_flop_;
  }
  const Samples& product_cpu_seconds() const {
    return own_unit() ? cpu_seconds_per_flop_ : cpu_seconds_per_fma_flop_;
  }

  cpu::Pool& pool_;
  // `work` on every thread, as so many units of something.
  void time(double count, Samples& wall, Samples& cpu, const std::function<void(int)>& work);
  void read_memory();
  int64_t share_of(std::span<const std::byte> region) const;

  cpu::InstructionSet instructions_;
  cpu::HugePages memory_;  // its own, when there is need of it
  Regions regions_;
  Samples seconds_per_byte_, seconds_per_fma_flop_, seconds_per_flop_, seconds_per_integer_op_;
  Samples cpu_seconds_per_byte_, cpu_seconds_per_fma_flop_, cpu_seconds_per_flop_,
      cpu_seconds_per_integer_op_;
};

}  // namespace tilewright::runtime
