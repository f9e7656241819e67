// How long things take on a described machine: pipes of a core, shared memory, and the runtime that
// feeds the cores. All numbers come from the platform file, each with its source. Used by `sim`.
#pragma once

#include <array>
#include <cstdint>

#include "tilewright/base/vector_class.h"

namespace tilewright::platform {

// Loads, stores and scalar reads between GM and one core. Bytes per cycle are per core.
struct GmTiming {
  double l1_bytes_per_cycle = 0;
  double ub_bytes_per_cycle = 0;
  double store_bytes_per_cycle = 0;  // vector memory to GM
  double row_cycles = 0;        // least cycles for one row of a load, however narrow
  double store_row_cycles = 0;  // the same for a store from vector memory
  double l1_issue_ns = 0;            // the load pipe is held this long before the first row
  double ub_issue_ns = 0;
  double l1_latency_ns = 0;  // last row sent until the data can be used
  double ub_latency_ns = 0;
  double store_latency_ns = 0;  // last byte leaves until a reader may rely on it
  double scalar_read_ns = 0;    // one element into a scalar register
};

// HBM and L2, shared by all cores.
struct MemoryTiming {
  double hbm_gb_per_s = 0;       // that programs reach together
  double hbm_peak_gb_per_s = 0;  // that the chip's maker states; only reports use it
  double hbm_latency_ns = 0;  // added to a load that L2 does not hold
  double hbm_apart_ns = 0;    // and one whose rows do not lie together: pages are opened for them
  double hbm_run_bytes = 0;  // cost of starting a contiguous run, in bytes that could have been sent
  double l2_gb_per_s = 0;
  int64_t l2_bytes = 0;
};

struct CubeTiming {
  double l0a_bytes_per_cycle = 0;
  double l0b_bytes_per_cycle = 0;
  double mad_head_cycles = 0;
  double fp32_passes = 0;  // times a fractal goes through the cube
  double fractal_cycles = 1;  // of one pass; 0 only in what-if machines
};

// Draining the accumulator: fixed + rows * (max(row, 4 * cols / bytes_per_cycle) + odd penalty).
struct FixpipeTiming {
  double fixed_cycles = 0;
  double row_cycles = 0;
  double bytes_per_cycle = 0;
  double odd_cycles = 0;  // per row, times (odd part of cols / 8) - 1
  double latency_ns = 0;  // to GM
};

// Values that change sides inside a mixed kernel.
struct CrossTiming {
  double acc_to_vec_bytes_per_cycle = 0;  // where the route exists
  double vec_to_mat_bytes_per_cycle = 0;
  double latency_ns = 0;  // the other core sees the flag
  int slots = 0;          // ring depth: how far the producer may run ahead
};

struct CoreTiming {
  double kernel_ns = 0;  // entry and exit of a kernel
  double flag_ns = 0;    // one pipe waits for another
  double issue_ns = 0;   // the scalar unit issues one instruction
};

// Cycles = bias + rows * row + elements * element; the element cost is for 4 bytes.
struct VectorCost {
  double bias_cycles = 0;
  double row_cycles = 0;
  double element_cycles = 0;
};

struct Timing {
  GmTiming gm;
  MemoryTiming memory;
  CubeTiming cube;
  FixpipeTiming fixpipe;
  CrossTiming cross;
  CoreTiming core;
  std::array<VectorCost, kVectorClasses> vector;
};

// How far predictions for a machine are off: four of five measurements lie within this part of the
// predicted value. Without measurements it is a guess, and should be a wide one.
struct PredictionSpread {
  double program = 0.5;  // the time of a whole program
  double kernel = 0.5;   // of one kernel's task
  double ratio = 0.25;   // of two programs' times
};

// The software that submits and schedules tasks, and what it costs.
struct RuntimeCosts {
  int scheduler_threads = 0;  // cluster i belongs to thread i mod n
  int64_t task_window = 0;    // submissions that may be open at a time
  int64_t heap_bytes = 0;     // of tensors that the program makes, from the oldest open submission on
  double submit_ns = 0;
  double submit_arg_ns = 0;       // per tensor argument: copied, looked up, registered
  double submit_producer_ns = 0;  // per producer that has not finished, for who enters it
  double allocate_ns = 0;         // per call that makes tensors: a slot, heap, their descriptors
  double wire_ns = 0;             // a scheduler thread enters a submission with its producers
  double poll_ns = 0;             // reading the state of one running core
  double idle_loop_ns = 0;        // the rest of a scheduler's loop
  double complete_ns = 0;
  double complete_edge_ns = 0;  // per consumer
  double dispatch_ns = 0;
  double start_ns = 0;        // dispatch until the core starts the kernel
  double cold_start_ns = 0;   // added to the first task of a core
  double switch_ns = 0;       // end of a task until the one waiting on its core starts
  double finish_seen_ns = 0;  // the core is done until the scheduler can see it
  double profile_core_ns = 0;       // record written by the core
  double profile_scheduler_ns = 0;  // record written by the scheduler
};

}  // namespace tilewright::platform
