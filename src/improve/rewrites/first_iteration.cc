#include "tilewright/improve/rewrites/first_iteration.h"

#include <algorithm>

namespace tilewright::improve {
namespace {

using namespace ir;

class TwinSearch {
 public:
  TwinSearch(const LoopBody& body, const std::vector<const Op*>& candidates)
      : body_(body), candidates_(candidates) {}

  // Whether a candidate starts the value that `step` continues: an op of the body with operands at
  // i = 0, or a matmul that a matmul_acc continues.
  bool start_of(const Op& step) {
    const Op* start = writer_of(step.dst, candidates_);
    if (!start) return false;
    if (step.kind == OpKind::MatmulAcc)
      return start->kind == OpKind::Matmul && same_args(step, *start) && take(*start);
    const Op* copied =
        start->kind == OpKind::Copy ? writer_of(start->args[0], candidates_) : nullptr;
    for (const BodyOp& b : body_.ops()) {
      if (b.first || b.op->dst == step.dst) continue;
      if (same_op(*b.op, *start)) return take(*start);
      if (!copied || !same_op(*b.op, *copied)) continue;
      found_.twin[copied->dst] = b.op->dst;
      return take(*copied) && take(*start);
    }
    return false;
  }

  // Adds ops that use the ops found so far, such as a store of the same tile.
  void companions() {
    for (const Op* c : candidates_) {
      if (found_.ops.contains(c) || !uses_twin(*c)) continue;
      for (const BodyOp& b : body_.ops())
        if (b.op->dst == c->dst && same_op(*b.op, *c) && take(*c)) break;
    }
  }

  FirstIteration found() { return std::move(found_); }

 private:
  static const Op* writer_of(VarId v, const std::vector<const Op*>& ops) {
    const auto it =
        std::ranges::find(ops.rbegin(), ops.rend(), v, [](const Op* o) { return o->dst; });
    return it == ops.rend() ? nullptr : *it;
  }
  const Op* body_writer(VarId v) const {
    for (const BodyOp& b : body_.ops())
      if (!b.first && b.op->dst == v) return b.op;
    return nullptr;
  }
  bool uses_twin(const Op& op) const {
    return std::ranges::any_of(op.args, [&](VarId v) { return found_.twin.contains(v); });
  }
  bool take(const Op& op) {
    found_.ops.insert(&op);
    return true;
  }
  bool same_exprs(const std::vector<Expr>& body, const std::vector<Expr>& first) const {
    return std::ranges::equal(body, first, [&](const Expr& a, const Expr& b) {
      return body_.at_zero(a) == body_.at_zero(b);
    });
  }
  bool same_args(const Op& in_body, const Op& first) {
    if (in_body.args.size() != first.args.size() || in_body.a_trans != first.a_trans ||
        in_body.b_trans != first.b_trans)
      return false;
    for (std::size_t i = 0; i < first.args.size(); ++i)
      if (!same_var(in_body.args[i], first.args[i])) return false;
    return true;
  }
  bool same_op(const Op& in_body, const Op& first) {
    return in_body.kind == first.kind && in_body.transpose == first.transpose &&
           in_body.scalar == first.scalar && same_exprs(in_body.offset, first.offset) &&
           same_exprs(in_body.valid, first.valid) && same_args(in_body, first);
  }
  bool same_var(VarId in_body, VarId first) {
    if (in_body == first) return true;
    if (const auto it = found_.twin.find(first); it != found_.twin.end())
      return it->second == in_body;
    const Op* a = body_writer(in_body);
    const Op* b = writer_of(first, candidates_);
    if (!a || !b || !same_op(*a, *b)) return false;
    found_.twin[first] = in_body;
    return take(*b);
  }

  const LoopBody& body_;
  const std::vector<const Op*>& candidates_;
  FirstIteration found_;
};

}  // namespace

std::optional<FirstIteration> find_first_iteration(const LoopBody& body,
                                                   const std::vector<const Op*>& candidates) {
  TwinSearch search(body, candidates);
  bool any = false;
  for (const BodyOp& b : body.ops()) {
    const bool window = op_info(b.op->kind).type == TypeRule::Insert;
    if (b.first || window || !body.carried(b.op->dst)) continue;
    if (!search.start_of(*b.op)) return std::nullopt;
    any = true;
  }
  if (!any) return std::nullopt;
  search.companions();
  return search.found();
}

}  // namespace tilewright::improve
