// Why tasks began when they did, found from their times: for records that were measured. A simulated
// record knows it.
#pragma once

#include <functional>

#include "tilewright/ir/run_record.h"

namespace tilewright::ir {

// Calls `see` for every task that task t waits for.
using Producers = std::function<void(TaskId t, const std::function<void(TaskId)>& see)>;

// Sets `ready`, `last_producer` and `before` of every task. A task was ready when it had been
// submitted and its last producer had finished; if its core was busy then, it waited for the task
// that ran there.
void find_waits(RunRecord& record, const Producers& producers);

}  // namespace tilewright::ir
