// The table of docs/performance.md: measured time beside the least time the machine allows.
#pragma once

#include <string>

#include "machine.h"
#include "program.h"

namespace tilewright::bench {

// What a time is compared with.
enum class Limit : uint8_t {
  Bytes,       // weights and valid cache through memory
  Larger,      // the larger of bytes and multiply-adds
  FlopsThenKv  // the larger of weights and multiply-adds, then the cache through memory
};

void print_header();
// One row. `seconds` and `cpu_seconds` were measured between measurements of the machine.
void print_row(const std::string& name, const Machine& machine, const Work& work, Limit limit,
               const Samples& seconds, const Samples& cpu_seconds, double target);

// The columns of llama-batched-bench for one decode step of `layers` layers.
void print_batched_bench_header();
void print_batched_bench_row(int64_t batch, int64_t ctx, double step_seconds);

}  // namespace tilewright::bench
