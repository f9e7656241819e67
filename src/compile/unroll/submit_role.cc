#include "tilewright/compile/unroll/submit_role.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;
using platform::RuntimeRules;

using Roots = std::set<VarId>;

// The allocations that a variable may stand for, followed through slices and reshapes. More than
// one when branches or loops give a view different sources.
class AllocationRoots {
 public:
  explicit AllocationRoots(const Block& orchestration) {
    for_each_op(orchestration, [&](const Op& op) {
      if (op.kind == OpKind::Slice || op.kind == OpKind::Reshape)
        sources_[op.dst].insert(op.args[0]);
    });
  }

  Roots of(VarId v) const {
    Roots found, visited;
    follow(v, found, visited);
    return found;
  }

 private:
  void follow(VarId v, Roots& found, Roots& visited) const {
    if (!visited.insert(v).second) return;
    const auto it = sources_.find(v);
    if (it == sources_.end()) {
      found.insert(v);
      return;
    }
    for (VarId source : it->second) follow(source, found, visited);
  }

  std::map<VarId, Roots> sources_;
};

class RoleFinder {
 public:
  RoleFinder(const Plan& plan, const RuntimeRules& rules)
      : plan_(plan),
        rules_(rules),
        roots_(plan.program.body),
        roles_(plan.kernels.size()),
        folded_(plan.program.vars.size()) {
    for_each_stmt(plan.program.body, [&](const Stmt& s) {
      if (const auto* let = s.as<Let>())
        let->value.for_each_var([&](VarId v) { defined_from_[let->var].insert(v); });
    });
  }

  SubmitRoles run() && {
    Roots written;
    scan(plan_.program.body, written);
    return std::move(roles_);
  }

 private:
  // `written` holds what earlier statements write. A loop or branch starts from a copy of it, and
  // counts as one writer for the statements after it.
  void scan(const Block& block, Roots& written) {
    for (const Stmt& s : block) {
      if (const auto* call = s.as<Scope>()) {
        submit(plan_.kernel(call->kernel), roles_[call->kernel.index()], written);
        continue;
      }
      if (rules_.fold_certain && fold(s, written)) continue;
      const auto* loop = s.as<For>();
      const bool ordered =
          s.as<While>() ||
          (loop && (loop->kind == LoopKind::Range || loop->kind == LoopKind::Pipeline));
      const bool launch = loop && loop->kind == LoopKind::Spmd;
      ordered_ += ordered;
      launches_ += launch;
      if (ordered && loop) ordered_vars_.push_back(loop->var);
      Roots after;
      for_each_body(s, [&](const Block& body) {
        Roots inside = written;
        scan(body, inside);
        after.merge(inside);
      });
      written.merge(after);
      if (ordered && loop) ordered_vars_.pop_back();
      ordered_ -= ordered;
      launches_ -= launch;
    }
  }

  // Scans a loop of at most one trip, or a branch on a certain condition, as the statements that
  // remain of it. False for every other statement.
  bool fold(const Stmt& s, Roots& written) {
    if (const auto* loop = s.as<For>(); loop && loop->kind == LoopKind::Range) {
      const Expr length = loop->stop - loop->start;
      if (loop->step < 1 || !length.is_constant() || length.constant() > loop->step) return false;
      if (const auto first = evaluate(loop->start, folded_)) folded_.set(loop->var, *first);
      if (length.constant() > 0)
        scan(loop->body, written);
      else
        scan_removed(loop->body, written);
      folded_.forget(loop->var);
      return true;
    }
    if (const auto* branch = s.as<If>()) {
      const std::optional<bool> holds = evaluate(branch->condition, folded_);
      if (!holds) return false;
      scan(*holds ? branch->then_body : branch->else_body, written);
      scan_removed(*holds ? branch->else_body : branch->then_body, written);
      return true;
    }
    return false;
  }

  // Statements that never run: their calls have roles, but are no earlier writers.
  void scan_removed(const Block& block, Roots written) { scan(block, written); }

  void submit(const Kernel& kernel, std::vector<SubmitRole>& roles, Roots& written) {
    Roots by_this_call;
    for (const KernelArg& arg : kernel.args) {
      Roots roots = roots_.of(arg.var);
      roles.push_back(role_of(kernel, arg, roots, written));
      if (arg.direction != Direction::In) by_this_call.merge(roots);
    }
    written.merge(by_this_call);
  }

  SubmitRole role_of(const Kernel& kernel, const KernelArg& arg, const Roots& roots,
                     const Roots& written) const {
    if (arg.direction == Direction::In) return SubmitRole::Input;
    if (arg.direction == Direction::InOut) return SubmitRole::InOut;
    if (arg.escape) return SubmitRole::Output;
    return waits_for_writers(kernel, arg, roots, written) ? SubmitRole::InOut
                                                          : SubmitRole::OutputExisting;
  }

  // Whether an argument that is only written is treated as if it were read as well.
  bool waits_for_writers(const Kernel& kernel, const KernelArg& arg, const Roots& roots,
                         const Roots& written) const {
    const Param* param = plan_.program.param_of(*roots.begin());
    if (param && !rules_.promote_parameters) return false;
    if (!param && rules_.promote_local) return true;
    if (rules_.promote_in_sequential && ordered_ > 0 &&
        !(rules_.spare_varying_stores && every_store_varies(kernel, arg.var)))
      return true;
    if (rules_.promote_ambiguous && roots.size() > 1) return true;
    if (rules_.promote_after_sibling &&
        std::ranges::any_of(roots, [&](VarId r) { return written.contains(r); }))
      return true;
    return rules_.promote_inout_parameter && param && param->direction == Direction::InOut;
  }

  // Whether some scalar of the call, which varies with an ordered loop around it, stands in the
  // offset of every store to the argument. A test of the text alone: it proves nothing.
  bool every_store_varies(const Kernel& kernel, VarId arg) const {
    if (launches_ > 0) return false;
    bool any_store = false;
    Roots common(kernel.scalars.begin(), kernel.scalars.end());
    for_each_op(kernel.body, [&](const Op& op) {
      if (op.dst != arg || (op.kind != OpKind::Store && op.kind != OpKind::Assemble)) return;
      any_store = true;
      Roots here;
      for (const Expr& e : op.offset) e.for_each_var([&](VarId v) { here.insert(v); });
      std::erase_if(common, [&](VarId v) { return !here.contains(v); });
    });
    return any_store && std::ranges::any_of(common, [&](VarId v) { return varies(v); });
  }

  bool varies(VarId v) const {
    Roots visited;
    std::vector<VarId> open{v};
    while (!open.empty()) {
      const VarId next = open.back();
      open.pop_back();
      if (!visited.insert(next).second) continue;
      if (std::ranges::find(ordered_vars_, next) != ordered_vars_.end()) return true;
      if (const auto it = defined_from_.find(next); it != defined_from_.end())
        open.insert(open.end(), it->second.begin(), it->second.end());
    }
    return false;
  }

  const Plan& plan_;
  const RuntimeRules& rules_;
  AllocationRoots roots_;
  SubmitRoles roles_;
  std::map<VarId, Roots> defined_from_;  // scalars by those in their definitions
  int ordered_ = 0;                      // ordered loops around the statement
  int launches_ = 0;                     // spmd loops around it
  std::vector<VarId> ordered_vars_;
  ScalarEnv folded_;  // the values of loop variables whose loops are folded
};

}  // namespace

SubmitRoles submit_roles(const Plan& plan, const RuntimeRules& rules) {
  return RoleFinder(plan, rules).run();
}

}  // namespace tilewright::compile
