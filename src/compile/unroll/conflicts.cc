#include "tilewright/compile/unroll/conflicts.h"

namespace tilewright::compile {

using namespace ir;

Conflicts::List Conflicts::list(TaskId t, BufferId buffer, bool write) {
  for (uint32_t l = lists_of_[t.index()]; l != kNone; l = lists_[l].next)
    if (lists_[l].buffer == buffer && lists_[l].write == write) return lists_[l];
  const auto begin = static_cast<uint32_t>(touches_.size());
  for (const Access& a : graph_.accesses_of(graph_.tasks[t.index()]))
    if (a.buffer == buffer && a.write == write) touches_.push_back({a.rect, &a});
  lists_.push_back(
      {buffer, write, begin, static_cast<uint32_t>(touches_.size()), lists_of_[t.index()]});
  lists_of_[t.index()] = static_cast<uint32_t>(lists_.size() - 1);
  return lists_.back();
}

std::pair<const Access*, const Access*> Conflicts::find(const Edge& e, TaskId to) {
  const List first = list(e.from, e.buffer, e.kind != EdgeKind::WriteAfterRead);
  const List second = list(to, e.buffer, e.kind != EdgeKind::ReadAfterWrite);
  for (uint32_t a = first.begin; a < first.end; ++a)
    for (uint32_t b = second.begin; b < second.end; ++b)
      if (touches_[a].rect.overlaps(touches_[b].rect))
        return {touches_[a].access, touches_[b].access};
  return {nullptr, nullptr};
}

}  // namespace tilewright::compile
