// The reference interpreter: plain loops that define the semantics of the IR. Undefined memory is
// poison. Never optimised, because every other executor is compared with it.
#pragma once

#include <cstdint>
#include <optional>

#include "tilewright/golden/exp.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/runtime_graph.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::golden {

// Runs a Program (before or between passes) in textual order on the arrays of `bindings`. Out
// parameters are poisoned first. `record` takes what is read at the places that it watches. Returns
// how many scopes it executed, blocks of spmd loops included.
int64_t run_program(const ir::Program& program, const ir::Bindings& bindings,
                    Exp exp = rounded_exp, ir::TaskReads* record = nullptr);

// Runs a Plan's tasks. Without a seed in submission order; with one, in a random order that the
// edges of the graph allow. Results are bit-identical for every order.
void run_tasks(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings,
               std::optional<uint64_t> order_seed, Exp exp = rounded_exp);

// In a random order that a runtime may choose which knows only `order`: where its rules leave a
// race, results differ from one seed to another.
void run_tasks(const ir::Plan& plan, const ir::TaskGraph& graph, const ir::Bindings& bindings,
               const ir::RuntimeGraph& order, uint64_t seed);

}  // namespace tilewright::golden
