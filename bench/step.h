// A program of the catalog made ready on synthetic data, for benchmarks: values do not matter, only
// that they are finite and not all equal.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"
#include "tilewright/cpu/executable.h"

namespace tilewright::bench {

// What one run cannot avoid.
struct Work {
  double weight_bytes = 0;
  double kv_bytes = 0;  // of the valid context
  double flops = 0;     // of the products with weights, two per multiply-add
  double attention_flops = 0;
};

class Step {
 public:
  Step(const std::string& program, const std::string& shape,
       const std::map<std::string, int64_t>& set, cpu::Pool& pool);
  ~Step();

  cpu::Weights bind_weights();
  double run(const cpu::Weights& weights);  // seconds
  double last_cpu_seconds() const;          // of all threads
  Work work(int64_t ctx) const;  // `ctx` valid positions in every row
  // Of the last run: the share of thread time that no task used.
  double idle_share() const;
  // Thread time of one kernel's tasks, and of all kernels, in the last run.
  double stage_seconds(const std::string& kernel) const;
  void print_stages() const;
  catalog::Arrays& arrays();
  std::size_t tasks() const;
  double unroll_seconds() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tilewright::bench
