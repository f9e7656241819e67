#include <algorithm>

#include "tilewright/compile/passes/carried.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/compile/shared_memory.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

// Whether a window takes consecutive elements of a dense source.
bool is_contiguous(const Shape& window, const Shape& source) {
  bool whole = true;  // of every later dimension
  for (std::size_t i = 0; i < window.size(); ++i) {
    const int64_t size = window[window.size() - 1 - i];
    if (!whole && size != 1) return false;
    whole = whole && size == source[source.size() - 1 - i];
  }
  return true;
}

class ViewFinder {
 public:
  ViewFinder(const Program& program, Kernel& kernel, const platform::Platform& platform,
             const SharedMemory& shared)
      : p_(program),
        k_(kernel),
        platform_(platform),
        shared_(shared),
        carried_(kernel.body),
        facts_(program.vars.size()),
        root_(program.vars.size()) {
    for (std::size_t v = 0; v < root_.size(); ++v) root_[v] = VarId(v);
    for (const KernelArg& a : kernel.args) facts_[a.var.index()].argument = true;
  }

  void run() {
    walk(k_.body);
    // In program order: whether a source is itself a view is known before its users ask.
    for_each_op(k_.body, [&](const Op& op) {
      if (!may_share(op) || !outlives(op)) return;
      root_[op.dst.index()] = root_[op.args[0].index()];
      facts_[op.dst.index()].dense = is_dense(op);
      k_.views.push_back({op.dst, op.args[0], root_[op.dst.index()]});
    });
  }

 private:
  // Positions of statements in textual order.
  struct Facts {
    bool argument = false;
    bool dense = true;  // a view of elements without gaps; tiles of their own have none
    std::vector<int> writes, uses;
  };
  struct Interval {
    int begin, end;
    bool contains(int at) const { return begin <= at && at <= end; }
  };

  Facts& facts(VarId v) { return facts_[v.index()]; }
  const Facts& facts(VarId v) const { return facts_[v.index()]; }

  void walk(const Block& body) {
    for (const Stmt& s : body) {
      const int here = position_++;
      if (const auto* op = s.as<Op>()) {
        facts(op->dst).writes.push_back(here);
        if (updates_in_place(op->kind)) facts(op->dst).uses.push_back(here);
        for (VarId a : op->args) facts(a).uses.push_back(here);
      } else if (const auto* read = s.as<Read>()) {
        facts(read->array).uses.push_back(here);
      }
      for_each_body(s, [&](const Block& inner) { walk(inner); });
      if (s.as<For>() || s.as<While>()) loops_.push_back({here, position_++});
    }
  }

  // Whether the op's result can lie where its source lies.
  bool may_share(const Op& op) const {
    const ViewKind kind = op_info(op.kind).view;
    if (kind == ViewKind::Never || op.transpose || facts(op.dst).argument) return false;
    const Var& to = p_[op.dst];
    const Var& from = p_[op.args[0]];
    if (to.dtype != from.dtype) return false;
    if (to.space != from.space && !platform_.one_address_space) return false;
    return kind != ViewKind::Relabel || (facts(op.args[0]).dense && !facts(op.args[0]).argument);
  }

  bool is_dense(const Op& op) const {
    const Facts& source = facts(op.args[0]);
    if (source.argument || !source.dense) return false;
    return op_info(op.kind).view != ViewKind::Window ||
           is_contiguous(p_[op.dst].shape, p_[op.args[0]].shape);
  }

  // Whether the source keeps its contents while the result is in use.
  bool outlives(const Op& op) const {
    const Facts& view = facts(op.dst);
    if (view.writes.size() != 1 || carried_.around_any(op.dst)) return false;
    const int def = view.writes.front();
    return !changes(root_[op.args[0].index()], def, last_use(op.dst, def));
  }

  // A use in a loop that the definition stands outside of comes again until the loop ends.
  int last_use(VarId v, int def) const {
    int last = def;
    for (const int use : facts(v).uses) {
      last = std::max(last, use);
      for (const Interval& loop : loops_)
        if (loop.contains(use) && !loop.contains(def)) last = std::max(last, loop.end);
    }
    return last;
  }

  bool changes(VarId root, int after, int until) const {
    const auto written = [&](VarId v) {
      return std::ranges::any_of(facts(v).writes,
                                 [&](int at) { return at > after && at <= until; });
    };
    if (written(root)) return true;
    return facts(root).argument && std::ranges::any_of(k_.args, [&](const KernelArg& a) {
             return shared_.shared(a.var, root) && written(a.var);
           });
  }

  const Program& p_;
  Kernel& k_;
  const platform::Platform& platform_;
  const SharedMemory& shared_;
  Carried carried_;
  int position_ = 0;
  std::vector<Facts> facts_;  // by variable
  std::vector<VarId> root_;   // by variable: whose storage it has
  std::vector<Interval> loops_;
};

}  // namespace

void find_views(Plan& plan, PassContext& context) {
  const SharedMemory shared(plan.program);
  for (Kernel& k : plan.kernels) ViewFinder(plan.program, k, context.platform, shared).run();
}

}  // namespace tilewright::compile
