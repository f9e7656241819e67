// GM buffers while a plan is unrolled: what is defined in them, who touched them, and the views
// through which names see them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tilewright/compile/unroll/contents.h"
#include "tilewright/compile/unroll/region_map.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

struct BufferState {
  ir::BufferId id;
  ir::VarId var;  // it was made for
  int64_t cols = 1;
  bool read_only = false;  // an In parameter: always defined, never written, no edges
  bool known = false;      // and what it holds is known before tasks run
  Contents contents;
  RegionMap regions;
  std::vector<const ir::Op*> writers;  // a few distinct ones, for messages
};

// What an array variable means right now.
struct Binding {
  ir::TensorRef ref;
  std::shared_ptr<BufferState> buffer;
  bool is_view = false;
  uint32_t taken_at = 0;  // tasks submitted when the view was taken
  // Its index in TaskGraph::views, once a task has been given it.
  std::optional<uint32_t> view = {};
};

inline void remember_writer(BufferState& b, const ir::Op& op) {
  for (const ir::Op* w : b.writers)
    if (w->place == op.place) return;
  if (b.writers.size() < 3) b.writers.push_back(&op);
}

// A writer through that name, if it is among the remembered.
inline const ir::Op* writer_through(const BufferState& b, ir::VarId via) {
  for (const ir::Op* w : b.writers)
    if (w->dst == via) return w;
  return nullptr;
}

}  // namespace tilewright::compile
