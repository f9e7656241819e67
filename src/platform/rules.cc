// The known runtimes, as a list of dated changes: the rules of a day are those of April 2026 with
// every change up to that day. Compiler changes decide which tasks are ordered (pypto), runtime
// changes how they are scheduled (simpler).
#include "tilewright/platform/rules.h"

#include <algorithm>

#include "tilewright/base/day.h"

namespace tilewright::platform {
namespace {

using Regions = RuntimeRules::Regions;

RuntimeRules exact() {
  RuntimeRules r;
  r.name = "exact";
  r.description = "every conflict on the exact regions is ordered: what the program means";
  r.source = "docs/meaning.md";
  return r;
}

RuntimeRules april() {
  RuntimeRules r;
  r.name = "april-2026";
  r.from = "2026-04-01";
  r.description =
      "whole arguments; write-only arguments are not ordered; readers never hold back a writer; at "
      "most 16 writers remembered per lookup; one task at a time on a core";
  r.source = "simpler d62341b, pto_orchestrator.cpp; calibration rows 1 and 2";
  r.regions = Regions::WholeArgument;
  r.order_write_only = false;
  r.track_war = false;
  r.max_producers = 16;
  return r;
}

struct Change {
  const char* from;
  const char* name;  // null: the day is its name
  const char* description;
  const char* source;
  void (*apply)(RuntimeRules&);
};

constexpr Change kChanges[] = {
    {"2026-04-12", nullptr, "orders as before; a second task waits on a cube core while one runs",
     "simpler #477", [](RuntimeRules& r) { r.scheduling.slots = Scheduling::Slots::TwoOnCubes; }},
    {"2026-04-13", nullptr,
     "orders as before; a scheduler thread enters submissions with their producers", "simpler #496",
     [](RuntimeRules& r) { r.scheduling.wiring = Scheduling::Wiring::Scheduler; }},
    {"2026-04-15", nullptr, "orders as before; a second task waits on every core", "simpler #553",
     [](RuntimeRules& r) {
       r.scheduling.slots = Scheduling::Slots::Two;
       r.scheduling.vectors_in_pairs = true;
     }},
    {"2026-04-18", nullptr,
     "orders as before; submissions are entered when 30 have gathered, or after 32 rounds",
     "simpler #589",
     [](RuntimeRules& r) {
       r.scheduling.wiring = Scheduling::Wiring::SchedulerLater;
       r.scheduling.polls_by_cluster = true;
     }},
    {"2026-04-22", nullptr,
     "as before; a write-only tensor that the program creates counts as read-write", "pypto #1111",
     [](RuntimeRules& r) { r.promote_local = true; }},
    {"2026-04-23", nullptr,
     "as before, but only in an ordered loop or after an earlier statement that writes it",
     "pypto #1131",
     [](RuntimeRules& r) {
       r.promote_local = false;
       r.promote_in_sequential = true;
       r.promote_after_sibling = true;
     }},
    {"2026-04-24", nullptr, "as before; a lookup remembers all writers", "simpler #669",
     [](RuntimeRules& r) { r.max_producers = 0; }},
    {"2026-04-29", nullptr,
     "as before, for parameters of the program as well; a write-only InOut parameter always counts "
     "as read-write",
     "pypto #1211",
     [](RuntimeRules& r) {
       r.promote_parameters = true;
       r.promote_inout_parameter = true;
     }},
    {"2026-04-30", nullptr,
     "as before; an ordered loop that makes one trip is no loop, and a condition that is certain is "
     "no branch",
     "pypto #1238", [](RuntimeRules& r) { r.fold_certain = true; }},
    {"2026-05-06", nullptr,
     "as before; an ordered loop is no reason if every store's offset varies with the loop; the "
     "sides of a mixed task use all slots of their ring",
     "pypto #1232, #1293; pto-isa TPush.hpp: one credit per ring before",
     [](RuntimeRules& r) {
       r.spare_varying_stores = true;
       r.scheduling.ring_depth = 0;
     }},
    {"2026-05-15", "may-2026",
     "whole arguments; a write-only argument counts as read-write inside a sequential loop, after an "
     "earlier statement that writes the tensor, or when it is an InOut parameter; readers never hold "
     "back a writer; task ids and manual scopes",
     "pypto #1371, #1364", [](RuntimeRules& r) { r.spare_varying_stores = false; }},
    {"2026-05-26", nullptr,
     "orders as may-2026; a task waits behind another only while no core is idle; mixed tasks first",
     "simpler #855",
     [](RuntimeRules& r) {
       r.scheduling.idle_cores_first = true;
       r.scheduling.mixed_first = true;
     }},
    {"2026-06-03", nullptr, "orders as may-2026; a task is finished when its end is seen",
     "simpler #974", [](RuntimeRules& r) { r.scheduling.finish_before_walk = true; }},
    {"2026-06-08", nullptr, "orders as may-2026; tasks handed out in one round start together",
     "simpler #989", [](RuntimeRules& r) { r.scheduling.publishes_together = true; }},
    {"2026-06-19", "june-2026",
     "orders as may-2026; tasks may ask for early dispatch of their consumers; a core reports its "
     "end before it writes its profile record",
     "pypto #1810, simpler #1079",
     [](RuntimeRules& r) { r.scheduling.record_after_finish = r.scheduling.early = true; }},
    {"2026-07-01", "july-2026", "orders as june-2026",
     "pypto 7c38bcfdd (2026-07-20), derive_call_directions: the rules of May", [](RuntimeRules&) {}},
    {"2026-07-02", nullptr, "orders as june-2026; ready tasks go to all scheduler threads at once",
     "simpler #1245", [](RuntimeRules& r) { r.scheduling.local_stack = false; }},
    {"2026-07-09", nullptr,
     "orders as june-2026; the orchestrator enters submissions with their producers again",
     "simpler #1263",
     [](RuntimeRules& r) { r.scheduling.wiring = Scheduling::Wiring::Orchestrator; }},
    {"2026-08-11", "august-2026",
     "orders as july-2026; a write-only argument that stands for different tensors on different "
     "paths counts as read-write",
     "pypto 9a1efefbd (2026-08-11), derive_call_directions",
     [](RuntimeRules& r) { r.promote_ambiguous = true; }},
};

std::vector<RuntimeRules> all_rules() {
  std::vector<RuntimeRules> all{exact(), april()};
  for (const Change& change : kChanges) {
    RuntimeRules r = all.back();
    r.from = change.from;
    r.name = change.name ? change.name : change.from;
    r.description = change.description;
    r.source = change.source;
    change.apply(r);
    all.push_back(std::move(r));
  }
  return all;
}

}  // namespace

const std::vector<RuntimeRules>& runtime_rules() {
  static const std::vector<RuntimeRules> kRules = all_rules();
  return kRules;
}

const RuntimeRules* find_runtime_rules(std::string_view name_or_day) {
  const auto& all = runtime_rules();
  const auto named = std::ranges::find(all, name_or_day, &RuntimeRules::name);
  if (named != all.end()) return &*named;
  if (!is_day(name_or_day)) return nullptr;
  const RuntimeRules* found = nullptr;
  for (const RuntimeRules& r : all)
    if (!r.from.empty() && r.from <= name_or_day) found = &r;  // days compare as text
  return found;
}

}  // namespace tilewright::platform
