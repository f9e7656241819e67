// A profile as a RunRecord, for the same tables and pages as a prediction.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tilewright/device/device_task.h"
#include "tilewright/ir/run_record.h"

namespace tilewright::device {

// Of each task, those that it waits for, each once. Allocations are left out; who waits for a
// barrier waits for all that the barrier waits for. Nothing: the files do not say.
using TaskProducers = std::vector<std::vector<std::size_t>>;
std::optional<TaskProducers> producers_of(const Profile& profile, const DeviceTasks& tasks);

// Phases inside another one, markers of a moment, and waiting add nothing to the busy time.
bool counts_as_busy(std::string_view kind);

// By core. A cluster is a cube core and the vector cores that share its tasks.
std::vector<int> clusters_of(const std::vector<ir::CoreKind>& cores);

// Edges whose consumer started before the producer had ended.
std::size_t impossible_edges(const ir::RunRecord& record, const DeviceTasks& tasks,
                             const TaskProducers& producers);

// Lanes, times and what the runtime's threads did. The blocks of the tasks in their order are the
// tasks of the record, whose kernel profiles are the caller's to fill in.
ir::RunRecord record_of(const Profile& profile, const DeviceTasks& tasks);

// The first task of the record that belongs to each device task, and the count of all at the end.
std::vector<std::size_t> first_blocks(const DeviceTasks& tasks);

// Why each task of the record began when it did. Without producers only cores are waited for.
void find_waits(ir::RunRecord& record, const DeviceTasks& tasks,
                const std::optional<TaskProducers>& producers);

}  // namespace tilewright::device
