// The sections "timing", "spread" and "runtime" of a platform file.
#include "tilewright/platform/timing.h"

#include "tilewright/platform/fields.h"
#include "tilewright/platform/sections.h"

namespace tilewright::platform {
namespace {

template <class T>
struct NumberField {
  const char* name;
  double T::*field;
  const char* unit;
  bool may_be_zero = true;  // times may; rates may not
};

template <class T, std::size_t N>
std::vector<std::string> names_of(const NumberField<T> (&fields)[N]) {
  std::vector<std::string> names;
  for (const auto& f : fields) names.emplace_back(f.name);
  return names;
}

template <class T, std::size_t N>
void read_numbers(const Section& s, T& out, const NumberField<T> (&fields)[N]) {
  for (const auto& f : fields) {
    if (f.may_be_zero)
      s.read_time(f.name, out.*f.field, f.unit);
    else
      s.read_rate(f.name, out.*f.field, f.unit);
  }
}

template <class T, std::size_t N>
void read_section(const Section& parent, const char* name, T& out,
                  const NumberField<T> (&fields)[N]) {
  const auto s = parent.section(name);
  if (!s) return;
  s->only(names_of(fields));
  read_numbers(*s, out, fields);
}

constexpr const char* kRate = "bytes per cycle";

constexpr NumberField<GmTiming> kGm[] = {
    {"l1_bytes_per_cycle", &GmTiming::l1_bytes_per_cycle, kRate, false},
    {"ub_bytes_per_cycle", &GmTiming::ub_bytes_per_cycle, kRate, false},
    {"store_bytes_per_cycle", &GmTiming::store_bytes_per_cycle, kRate, false},
    {"row_cycles", &GmTiming::row_cycles, "cycles"},
    {"store_row_cycles", &GmTiming::store_row_cycles, "cycles"},
    {"l1_issue_ns", &GmTiming::l1_issue_ns, "ns"},
    {"ub_issue_ns", &GmTiming::ub_issue_ns, "ns"},
    {"l1_latency_ns", &GmTiming::l1_latency_ns, "ns"},
    {"ub_latency_ns", &GmTiming::ub_latency_ns, "ns"},
    {"store_latency_ns", &GmTiming::store_latency_ns, "ns"},
    {"scalar_read_ns", &GmTiming::scalar_read_ns, "ns"},
};

constexpr NumberField<MemoryTiming> kMemory[] = {
    {"hbm_gb_per_s", &MemoryTiming::hbm_gb_per_s, "GB/s", false},
    {"hbm_peak_gb_per_s", &MemoryTiming::hbm_peak_gb_per_s, "GB/s", false},
    {"hbm_latency_ns", &MemoryTiming::hbm_latency_ns, "ns"},
    {"hbm_apart_ns", &MemoryTiming::hbm_apart_ns, "ns"},
    {"hbm_run_bytes", &MemoryTiming::hbm_run_bytes, "bytes"},
    {"l2_gb_per_s", &MemoryTiming::l2_gb_per_s, "GB/s", false},
};

constexpr NumberField<CubeTiming> kCube[] = {
    {"l0a_bytes_per_cycle", &CubeTiming::l0a_bytes_per_cycle, kRate, false},
    {"l0b_bytes_per_cycle", &CubeTiming::l0b_bytes_per_cycle, kRate, false},
    {"mad_head_cycles", &CubeTiming::mad_head_cycles, "cycles"},
    {"fp32_passes", &CubeTiming::fp32_passes, "passes", false},
};

constexpr NumberField<FixpipeTiming> kFixpipe[] = {
    {"fixed_cycles", &FixpipeTiming::fixed_cycles, "cycles"},
    {"row_cycles", &FixpipeTiming::row_cycles, "cycles"},
    {"bytes_per_cycle", &FixpipeTiming::bytes_per_cycle, kRate, false},
    {"odd_cycles", &FixpipeTiming::odd_cycles, "cycles"},
    {"latency_ns", &FixpipeTiming::latency_ns, "ns"},
};

constexpr NumberField<CrossTiming> kCross[] = {
    {"acc_to_vec_bytes_per_cycle", &CrossTiming::acc_to_vec_bytes_per_cycle, kRate, false},
    {"vec_to_mat_bytes_per_cycle", &CrossTiming::vec_to_mat_bytes_per_cycle, kRate, false},
    {"latency_ns", &CrossTiming::latency_ns, "ns"},
};

constexpr NumberField<CoreTiming> kCore[] = {
    {"kernel_ns", &CoreTiming::kernel_ns, "ns"},
    {"flag_ns", &CoreTiming::flag_ns, "ns"},
    {"issue_ns", &CoreTiming::issue_ns, "ns"},
};

constexpr NumberField<VectorCost> kVector[] = {
    {"bias_cycles", &VectorCost::bias_cycles, "cycles"},
    {"row_cycles", &VectorCost::row_cycles, "cycles"},
    {"element_cycles", &VectorCost::element_cycles, "cycles"},
};

constexpr NumberField<RuntimeCosts> kRuntime[] = {
    {"submit_ns", &RuntimeCosts::submit_ns, "ns"},
    {"submit_arg_ns", &RuntimeCosts::submit_arg_ns, "ns"},
    {"submit_producer_ns", &RuntimeCosts::submit_producer_ns, "ns"},
    {"allocate_ns", &RuntimeCosts::allocate_ns, "ns"},
    {"wire_ns", &RuntimeCosts::wire_ns, "ns"},
    {"poll_ns", &RuntimeCosts::poll_ns, "ns"},
    {"idle_loop_ns", &RuntimeCosts::idle_loop_ns, "ns"},
    {"complete_ns", &RuntimeCosts::complete_ns, "ns"},
    {"complete_edge_ns", &RuntimeCosts::complete_edge_ns, "ns"},
    {"dispatch_ns", &RuntimeCosts::dispatch_ns, "ns"},
    {"start_ns", &RuntimeCosts::start_ns, "ns"},
    {"cold_start_ns", &RuntimeCosts::cold_start_ns, "ns"},
    {"switch_ns", &RuntimeCosts::switch_ns, "ns"},
    {"finish_seen_ns", &RuntimeCosts::finish_seen_ns, "ns"},
    {"profile_core_ns", &RuntimeCosts::profile_core_ns, "ns"},
    {"profile_scheduler_ns", &RuntimeCosts::profile_scheduler_ns, "ns"},
};

constexpr NumberField<PredictionSpread> kSpread[] = {
    {"program", &PredictionSpread::program, "of the prediction", false},
    {"kernel", &PredictionSpread::kernel, "of the prediction", false},
    {"ratio", &PredictionSpread::ratio, "of the prediction", false},
};

void read_vector(const Section& parent, Timing& t) {
  const auto s = parent.section("vector");
  if (!s) return;
  std::vector<std::string> known;
  for (int i = 0; i < kVectorClasses; ++i)
    known.emplace_back(vector_class_name(static_cast<VectorClass>(i)));
  s->only(known);
  for (std::size_t i = 0; i < known.size(); ++i)
    read_section(*s, known[i].c_str(), t.vector[i], kVector);
}

void read_memory_timing(const Section& parent, MemoryTiming& m) {
  const auto s = parent.section("memory");
  if (!s) return;
  auto names = names_of(kMemory);
  names.emplace_back("l2_bytes");
  s->only(names);
  read_numbers(*s, m, kMemory);
  s->read_whole("l2_bytes", m.l2_bytes, "bytes");
}

void read_cross(const Section& parent, CrossTiming& c) {
  const auto s = parent.section("cross");
  if (!s) return;
  auto names = names_of(kCross);
  names.emplace_back("slots");
  s->only(names);
  read_numbers(*s, c, kCross);
  s->read_whole("slots", c.slots, "");
}

}  // namespace

void read_timing(const Section& s, Timing& t) {
  s.only({"gm", "memory", "cube", "fixpipe", "cross", "core", "vector"});
  read_section(s, "gm", t.gm, kGm);
  read_memory_timing(s, t.memory);
  read_section(s, "cube", t.cube, kCube);
  read_section(s, "fixpipe", t.fixpipe, kFixpipe);
  read_cross(s, t.cross);
  read_section(s, "core", t.core, kCore);
  read_vector(s, t);
}

void read_spread(const Section& s, PredictionSpread& spread) {
  s.only(names_of(kSpread));
  read_numbers(s, spread, kSpread);
}

void read_runtime(const Section& s, RuntimeCosts& r) {
  auto names = names_of(kRuntime);
  for (const char* name : {"scheduler_threads", "task_window", "heap_bytes"})
    names.emplace_back(name);
  s.only(names);
  s.read_whole("scheduler_threads", r.scheduler_threads, "");
  s.read_whole("task_window", r.task_window, "");
  s.read_whole("heap_bytes", r.heap_bytes, "bytes");
  read_numbers(s, r, kRuntime);
}

}  // namespace tilewright::platform
