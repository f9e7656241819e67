#include "recordings.h"

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/device/deps_file.h"
#include "tilewright/device/join.h"
#include "tilewright/device/nameless.h"
#include "tilewright/device/names_file.h"
#include "tilewright/report/profile.h"

namespace fuzz_files {
namespace {

using namespace tilewright;

const std::string kTicks = R"({"chip_swimlane_level": 4, "metadata": {"clock_freq_hz": 50000000,
 "num_cores": 3, "core_types": ["aic", "aiv", "aiv"], "core_to_thread": [0, 0, 0],
 "host_capture": {"status": "complete", "error": null}},
 "aicore_tasks": [[0, 1, 7, 1100, 1200, 10], [2, 2, 9, 1300, 1350, 5], [0, 3, 8, 1400, 1500, 1],
  [1, 3, 1, 1400, 1490, 2], [2, 3, 10, 1401, 1499, 3]],
 "aicpu_tasks": [[0, 7, 1050, 1210], [2, 9, 1250, 1400], [0, 8, 1390, 1510], [1, 1, 1390, 1510],
  [2, 10, 1390, 1510]],
 "aicpu_scheduler_phases": [[{"kind": "dispatch", "start_cycles": 1040, "end_cycles": 1050,
  "loop_iter": 3, "tasks_processed": 1, "pop_hit": 1, "pop_miss": 0}], []],
 "aicpu_orchestrator_phases": [[{"submit_idx": 0, "task_id": 0, "start_cycles": 1000,
  "end_cycles": 1010}, {"submit_idx": 1, "task_id": 1, "start_cycles": 1010, "end_cycles": 1020}]]})";

const std::string kDependences = R"(
#: deps.json
{"tasks": [{"task_id": "0", "scope": "auto", "early_dispatch": false, "kernel_ids": [-1, -1, -1],
 "block_num": 1, "args": []}, {"task_id": "1", "kernel_ids": [0, -1, -1], "block_num": 1},
 {"task_id": "2", "kernel_ids": [-1, 1, -1], "block_num": 1},
 {"task_id": "3", "kernel_ids": [2, 3, 3], "block_num": 1}], "tensors": [],
 "edges": [{"pred": "0", "succ": "1", "arg": 0, "source": "creator", "flags": ["wait", "retain"]},
 {"pred": "1", "succ": "2", "arg": 0, "source": "tensormap", "flags": ["wait"]},
 {"pred": "2", "succ": "3", "arg": -1, "source": "explicit"}]}
#: name_map_x.json
{"level": 2, "orchestrator_name": "x", "callable_id_to_name": {"0": "a", "2": "c_aic", "3": "c_aiv"}})";

const std::string kMicroseconds = R"({"version": 2, "tasks": [{"task_id": 4294967297, "func_id": 0,
 "core_id": 0, "core_type": "aic", "ring_id": 1, "start_time_us": 1.000, "end_time_us": 3.000,
 "duration_us": 2.000, "dispatch_time_us": 0.000, "finish_time_us": 3.200, "fanout": [2],
 "fanout_count": 1}, {"task_id": 2, "func_id": 1, "core_id": 2, "core_type": "aiv", "ring_id": 0,
 "start_time_us": 5.000, "end_time_us": 6.000, "dispatch_time_us": 4.000, "finish_time_us": 7.000,
 "fanout": []}], "aicpu_scheduler_phases": [[{"start_time_us": 3.2, "end_time_us": 4.0,
 "phase": "complete", "loop_iter": 1, "tasks_processed": 1}]],
 "aicpu_orchestrator_phases": [[{"phase": "orch_sync", "start_time_us": 0.1, "end_time_us": 0.2,
 "submit_idx": 0, "task_id": 4294967297}, {"phase": "orch_fanin", "start_time_us": 0.2,
 "end_time_us": 0.4, "submit_idx": 0, "task_id": 4294967297}]], "core_to_thread": [0, 0, 0]})";

device::Profile profile_of(const std::string& bytes) {
  std::string records, deps, names;
  std::string* at = &records;
  for (const std::string& line : split(bytes, '\n')) {
    if (line.starts_with("#: "))
      at = line.starts_with("#: deps") ? &deps : line.starts_with("#: name") ? &names : &records;
    else
      *at += line + "\n";
  }
  device::Profile p = device::joined(device::read_records(records, "records"), "records");
  if (!deps.empty()) {
    device::Dependences found = device::read_dependences(deps, "deps");
    p.tasks = std::move(found.tasks);
    p.kernels_known = found.kernels;
    p.edges = std::move(found.edges);
  }
  if (!names.empty()) p.names = device::read_names(names, "names").functions;
  return p;
}

}  // namespace

// Whatever can be read is a run with tables.
void run_recording(const std::string& bytes) {
  static const platform::Platform machine = platform::builtin_platform("a2a3");
  const device::Profile p = profile_of(bytes);
  const device::NamelessRun run = device::nameless_run(p, device::device_tasks(p));
  check(run.record.tasks.size() == run.graph.tasks.size(), "every task has a record");
  const report::Profile profile = report::profile(run.plan, run.graph, run.record, machine);
  int64_t tasks = 0;
  for (const report::Stage& s : profile.stages) tasks += s.tasks;
  check(tasks == profile.all.tasks, "every task is of a kernel");
  check(profile.path.steps.size() <= run.record.tasks.size(), "no chain of waits is a circle");
}

std::vector<std::string> recording_seeds() {
  return {kTicks, kTicks + kDependences, kMicroseconds, kMicroseconds + kDependences};
}

}  // namespace fuzz_files
