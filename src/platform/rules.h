// The behaviour of a runtime at a given date, as data: which tasks it orders, and how its
// schedulers hand tasks to cores. The hazard check uses the ordering; the simulator uses both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::platform {

// How scheduler threads work. The defaults are those of April 2026.
struct Scheduling {
  // Tasks that a core holds: the running one, and from 2026-04-12 one behind it.
  enum class Slots : uint8_t { One, TwoOnCubes, Two };
  Slots slots = Slots::One;
  // A second slot is used only while no other thread has an idle core of the kind.
  bool idle_cores_first = false;
  // A mixed task that waits for a cluster keeps the thread from handing out others.
  bool mixed_first = false;
  // Consumers that become ready stay with the thread that saw it, the last one on top; what it has
  // no core for goes to all. Else they go to all at once.
  bool local_stack = true;
  // Who enters a submission with its producers: the orchestrator, or the first scheduler thread,
  // at once or when some have gathered.
  enum class Wiring : uint8_t { Orchestrator, Scheduler, SchedulerLater };
  Wiring wiring = Wiring::Orchestrator;
  bool vectors_in_pairs = false;  // vector cores by cluster, else the first of every cluster first
  bool polls_by_cluster = false;  // else all cube cores, then all vector cores
  bool publishes_together = false;   // the tasks of one round start together
  bool finish_before_walk = false;   // the finish stamp is taken before the consumers are told
  bool record_after_finish = false;  // a core reports its end before it writes its profile record
  // A task is put on a core before it is ready when everything it waits for allows that and is on
  // cores itself; it starts when the last of them has ended.
  bool early = false;
  // Tiles that one side of a mixed task may hand over before the other has taken them; 0 = as many
  // as the ring between them has slots.
  int ring_depth = 1;
};

struct RuntimeRules {
  enum class Regions : uint8_t { WholeArgument, Exact };
  std::string name;
  std::string from;  // the first day they held, "2026-04-23"; empty for rules without a date
  std::string description;
  std::string source;  // where each field comes from
  Regions regions = Regions::Exact;
  bool order_write_only = true;  // a write-only argument waits for earlier writers
  bool track_war = true;         // a writer waits for earlier readers
  int max_producers = 0;         // overlapping writers remembered per lookup; 0 = all
  // When a write-only argument counts as read-write, and so waits for earlier writers.
  bool promote_local = false;            // if the program itself creates the tensor
  bool promote_in_sequential = false;    // inside an ordered loop
  bool spare_varying_stores = false;     // ... unless every store's offset varies with the loop
  bool promote_after_sibling = false;    // after an earlier statement that writes the tensor
  bool promote_ambiguous = false;        // if branches decide which tensor it is
  bool promote_parameters = false;       // the above hold for parameters of the program, too
  bool promote_inout_parameter = false;  // if it is an InOut parameter of the program
  // Before that, a pl.range loop that certainly makes at most one trip is replaced by its body, and
  // a certain condition by the body that it selects.
  bool fold_certain = false;
  Scheduling scheduling;
};

const std::vector<RuntimeRules>& runtime_rules();  // exact, then by date
// By name, or the ones that held on a day, "2026-07-03"; null if unknown.
const RuntimeRules* find_runtime_rules(std::string_view name_or_day);

}  // namespace tilewright::platform
