// A program of the catalog made ready on synthetic data, for benchmarks: values do not matter, only
// that they are finite and not all equal.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"
#include "tilewright/cpu/run/executable.h"
#include "tilewright/runtime/machine.h"

namespace tilewright::bench {

// What one run cannot avoid.
struct Work {
  double weight_bytes = 0;
  double kv_bytes = 0;  // of the valid context
  double flops = 0;     // of the products with weights, two per multiply-add
  double attention_flops = 0;
};

class BenchProgram {
 public:
  BenchProgram(const std::string& program, const std::string& shape,
               const std::map<std::string, int64_t>& set, cpu::Pool& pool,
               cpu::InstructionSet instructions);
  ~BenchProgram();

  // Packs the weights and gives their arrays back.
  cpu::PackedWeights bind_weights();
  // New arrays for the weights that were given back, or those that would be packed dropped.
  void refill_weights();
  void drop_weights();
  double run(const cpu::PackedWeights& weights);  // seconds
  // Where the caches of K and V lie.
  runtime::Machine::Regions cache_regions() const;
  double last_cpu_seconds() const;                // of all threads
  Work work(int64_t ctx) const;                   // `ctx` valid positions in every row
  // Of the last run: time of all tasks, on all threads.
  double busy_seconds() const;
  // Thread time of one kernel's tasks in the last run.
  double stage_seconds(const std::string& kernel) const;
  // That of all kernels, and what was left over.
  void print_stages() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tilewright::bench
