// The passes, in the order compile.cc runs them. The comment at each pass gives what it
// guarantees.
#pragma once

#include "tilewright/compile/compile.h"
#include "tilewright/compile/pass_context.h"

namespace tilewright::compile {

// Takes: a checked program. Gives: `unroll` loops replaced by copies of their body with the loop
// variable a constant, and variables that no trip leaves for another one per copy. Afterwards: no
// LoopKind::Unroll.
void expand_unroll(ir::Plan& plan, PassContext& context);

// Takes: auto scopes, clusters and spmd loops. Gives: chunked loops split into an orchestrator loop
// over chunks and a scope over the iterations of one chunk; every remaining run of tensor
// statements in a scope of its own; scalar statements in the orchestrator. Afterwards: all scopes
// are plain, one scope execution is one task, and no loop has a chunk.
void split_chunks(ir::Plan& plan, PassContext& context);

// Takes: orchestrator-level assembles. Gives: a source that is made only to be placed once becomes a
// view of its destination, and the assemble costs nothing; any other assemble becomes a copy task,
// with a note. Afterwards: no assemble outside scopes.
void place_assembles(ir::Plan& plan, PassContext& context);

// Takes: plain scopes. Gives: one kernel per scope with its GM arguments, directions, scalars and
// escapes; every access to GM an explicit load or store. Afterwards: scopes in the orchestration
// are calls, and kernels touch GM only through load, store and read.
void outline_scopes(ir::Plan& plan, PassContext& context);

// Takes: kernels. Gives: every tile a memory space, with moves along legal routes; each kernel's
// core kind; values that cross between cube and vector cores. Afterwards: Var::space is set for all
// tiles of kernels.
void place_tiles(ir::Plan& plan, PassContext& context);

// Takes: placed kernels. Gives: a product whose operands or result exceed Left, Right or Acc cut into
// products that fit: a pipelined loop over blocks of k, inside loops over windows of the output
// where the accumulator is too large. Each element is still one sum over ascending k. Operands that
// the author placed in Left or Right are left alone. A note says what was cut, and what could not
// be. Afterwards: the operands of every product that was cut are windows of tiles in Mat.
void tile_products(ir::Plan& plan, PassContext& context);

// Takes: placed kernels. Gives: Kernel::views, the values that lie in the memory of their source
// while it keeps its contents. What may be a view is in the op table; GM is a source only where the
// platform has one address space. Afterwards: every other tile needs memory of its own.
void find_views(ir::Plan& plan, PassContext& context);

// Takes: kernels with views. Gives: addresses with lifetime reuse, copies for pipelined loads, the peak
// of every memory. Reports what does not fit, with the table of what is alive at the peak.
void allocate(ir::Plan& plan, PassContext& context);

// Takes: kernels with addresses. Gives: Kernel::lowered: instructions with their units, operands and
// waits; on a platform that is no device, groups of them that are one step. Afterwards: executors,
// simulator and printer read that form and decide nothing of it again.
void lower(ir::Plan& plan, PassContext& context);

// Operand budgets of the tilelet contract.
void check_budget(const ir::Plan& plan, const Budget& budget, PassContext& context);

}  // namespace tilewright::compile
