#include "tilewright/session/device_reads.h"

#include <fmt/format.h>

#include <map>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace tilewright::session {
namespace {

// Finds the first scalar that is read outside scopes from something else than an In parameter.
class DeviceReads {
 public:
  explicit DeviceReads(const ir::Program& program) : p_(program) { visit(program.body); }
  const ir::Read* first() const { return first_; }

 private:
  void visit(const ir::Block& block) {
    for (const ir::Stmt& s : block) {
      if (const auto* op = s.as<ir::Op>())
        if (op->kind == ir::OpKind::Slice || op->kind == ir::OpKind::Reshape)
          roots_[op->dst] = root(op->args[0]);
      if (const auto* read = s.as<ir::Read>(); read && !first_) {
        const ir::Param* param = p_.param_of(root(read->array));
        if (!param || param->direction != ir::Direction::In) first_ = read;
      }
      const auto* loop = s.as<ir::For>();
      if (s.as<ir::Scope>() || (loop && loop->kind == ir::LoopKind::Spmd)) continue;
      for_each_body(s, [&](const ir::Block& inner) { visit(inner); });
    }
  }

  ir::VarId root(ir::VarId v) const {
    const auto it = roots_.find(v);
    return it == roots_.end() ? v : it->second;
  }

  const ir::Program& p_;
  std::map<ir::VarId, ir::VarId> roots_;
  const ir::Read* first_ = nullptr;
};

}  // namespace

void require_known_tasks(const ir::Program& program) {
  const ir::Read* read = DeviceReads(program).first();
  if (!read) return;
  user_error("device-read",
             fmt::format("the tasks of {} depend on {}, which tasks write", program.name,
                         program[read->array].name),
             fmt::format("read at {}", read->place.text()),
             "the tasks that are executed here are known before they run",
             "check the program, or predict its time with sim");
}

}  // namespace tilewright::session
