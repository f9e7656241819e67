// Which accesses make a conflict between two tasks.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tilewright/base/large_vector.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

// There may be hundreds of millions of conflicts, and hundreds of accesses in a task. Those of a
// task to one buffer are listed when they are first asked for, since most are asked for often.
class Conflicts {
 public:
  explicit Conflicts(const ir::TaskGraph& graph)
      : graph_(graph), lists_of_(graph.tasks.size(), kNone) {}

  // The first two: same buffer, the kinds of the edge, overlapping. Null if there are none.
  std::pair<const ir::Access*, const ir::Access*> find(const ir::Edge& e, ir::TaskId to);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Touch {
    ir::Rect rect;
    const ir::Access* access;
  };
  struct List {
    ir::BufferId buffer;
    bool write;
    uint32_t begin, end;  // of touches_
    uint32_t next;        // list of the same task
  };

  List list(ir::TaskId t, ir::BufferId buffer, bool write);

  const ir::TaskGraph& graph_;
  std::vector<uint32_t> lists_of_;  // by task: the newest
  LargeVector<List> lists_;
  LargeVector<Touch> touches_;
};

}  // namespace tilewright::compile
