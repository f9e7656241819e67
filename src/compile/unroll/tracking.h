// By which tensors a runtime orders a submission by itself, and where its author keeps it from
// doing so: in manual scopes, and for tensors that one task (no_dep_args) or all tasks (manual_dep)
// leave out.
#pragma once

#include <optional>
#include <unordered_map>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

class Tracking {
 public:
  Tracking(const ir::Plan& plan, const ir::TaskGraph& graph);

  bool is_manual(uint32_t submission) const;
  // Whether the submission looks this buffer up and is entered as its producer.
  bool follows(uint32_t submission, ir::BufferId buffer) const;
  // Whether a conflict on this buffer is seen at all.
  bool orders(uint32_t from, uint32_t to, ir::BufferId buffer) const;
  // The submission whose task made the buffer; none if the orchestrator or the caller did.
  std::optional<uint32_t> creator(ir::BufferId buffer) const;

 private:
  const ir::Plan& plan_;
  const ir::TaskGraph& graph_;
  std::unordered_map<ir::BufferId, uint32_t> creators_;
};

}  // namespace tilewright::compile
