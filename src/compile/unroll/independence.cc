#include "tilewright/compile/unroll/independence.h"

#include <fmt/format.h>

#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

namespace {

bool promises_independence(const For& f) {
  return f.kind == LoopKind::Parallel || f.kind == LoopKind::Spmd;
}

}  // namespace

void Independence::begin_loop(const For& f) {
  if (!promises_independence(f)) return;
  trips_.push_back({trip_, &f, ++instances_, 0});
  trip_ = static_cast<int>(trips_.size()) - 1;
}

void Independence::enter_trip(const For& f, int64_t trip) {
  if (!promises_independence(f)) return;
  const Trip& open = trips_[static_cast<std::size_t>(trip_)];
  trips_.push_back({open.parent, &f, open.instance, trip});
  trip_ = static_cast<int>(trips_.size()) - 1;
}

void Independence::leave_loop(const For& f) {
  if (promises_independence(f)) trip_ = trips_[static_cast<std::size_t>(trip_)].parent;
}

void Independence::conflict(TaskId from, TaskId to, EdgeKind kind, const Access& access) {
  int a = task_trip_[from.index()];
  int b = task_trip_[to.index()];
  while (a >= 0 && b >= 0) {
    const Trip& ta = trips_[static_cast<std::size_t>(a)];
    const Trip& tb = trips_[static_cast<std::size_t>(b)];
    if (ta.instance == tb.instance) {
      if (ta.trip != tb.trip && !only_add(from, to, access) && !write_one_value(from, to, access))
        report(*ta.loop, ta.trip, tb.trip, kind, access, shared_region(from, kind, access));
      return;
    }
    // The younger chain is the deeper one: instances are numbered as loops begin.
    (ta.instance > tb.instance ? a : b) = ta.instance > tb.instance ? ta.parent : tb.parent;
  }
}

// Additions to the same elements need no order: they are only kept in one.
bool Independence::only_add(TaskId from, TaskId to, const Access& at) const {
  for (const TaskId t : {from, to})
    for (const Access& a : graph_.accesses_of(graph_.tasks[t.index()]))
      if (a.buffer == at.buffer && a.rect.overlaps(at.rect) && !(a.op && a.op->atomic_add))
        return false;
  return true;
}

// What several tasks compute alike: whoever comes last, the result is the same.
bool Independence::write_one_value(TaskId from, TaskId to, const Access& at) {
  if (!at.op || at.op->args.empty()) return false;
  for (const TaskId t : {from, to})
    for (const Access& a : graph_.accesses_of(graph_.tasks[t.index()]))
      if (a.buffer == at.buffer && a.rect.overlaps(at.rect) && (!a.write || a.op != at.op))
        return false;
  return same_value_.stored_by(graph_.tasks[from.index()], graph_.tasks[to.index()], *at.op);
}

// What the first overlapping access of `from` has in common with `at`.
Rect Independence::shared_region(TaskId from, EdgeKind kind, const Access& at) const {
  const bool written = kind != EdgeKind::WriteAfterRead;
  for (const Access& a : graph_.accesses_of(graph_.tasks[from.index()]))
    if (a.buffer == at.buffer && a.write == written && a.rect.overlaps(at.rect))
      return intersection(a.rect, at.rect);
  return at.rect;
}

void Independence::report(const For& loop, int64_t from, int64_t to, EdgeKind kind,
                          const Access& access, const Rect& region) {
  const bool spmd = loop.kind == LoopKind::Spmd;
  const bool error = spmd && access.certain;
  const std::string name = plan_.program[graph_.buffers[access.buffer.index()].var].written_name();
  const std::string at = access.op ? fmt::format(" (at {})", access.op->place.text()) : "";
  findings_.add(
      &loop, loop.place, "", fmt::format("{} loop", loop_kind_name(loop.kind)),
      {.severity = error ? Severity::Error : Severity::Warning,
       .code = spmd ? "spmd-race" : "parallel-order",
       .what = fmt::format("iterations {} and {} of the {} loop {} access {} {}{}: {}", from, to,
                           loop_kind_name(loop.kind), access.certain ? "both" : "may both", name,
                           region.text(), at, edge_kind_name(kind)),
       .law = error  ? "blocks of one launch run concurrently, in no order"
              : spmd ? "blocks of one launch run concurrently, in no order; data decides whether "
                       "these overlap"
                     : "parallel declares that iterations are independent; these are not, and the "
                       "rules of the runtime decide whether they run in order",
       .help = spmd ? "give each block its own region, or use an ordered loop"
                    : "use range, or give each iteration its own region",
       .related = access.op ? std::vector<RelatedPlace>{{access.op->place, "the access"}}
                            : std::vector<RelatedPlace>{}});
}

}  // namespace tilewright::compile
