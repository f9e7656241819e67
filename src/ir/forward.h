// The large types of this room by name: for headers that only refer to them.
#pragma once

namespace tilewright::ir {

struct TaskOrder;
struct TaskSet;
struct Op;
struct For;
struct Let;
struct Read;
struct Compute;
struct Signal;
struct External;
struct ExternalCall;
struct Cond;
struct Program;
struct Kernel;
struct Plan;
struct TaskGraph;
struct RuntimeGraph;
struct RunRecord;
struct Bindings;

}  // namespace tilewright::ir
