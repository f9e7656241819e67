#include "tilewright/sim/control_key.h"

#include <algorithm>
#include <set>

namespace tilewright::sim {
namespace {

using namespace ir;

class Finder {
 public:
  explicit Finder(const Kernel& kernel) : code_(kernel.lowered) {
    for (VarId v : kernel.scalars) scalars_.insert(v.value);
    for_each_node(code_.body, [&](const LoweredNode& n) {
      if (const auto* f = n.as<LoweredFor>()) inner_.insert(f->var.value);
      if (const auto* let = n.as<Let>()) inner_.insert(let->var.value);
      if (const auto* c = n.as<Compute>()) inner_.insert(c->var.value);
    });
    for (const Instruction& in : code_.instructions)
      if (in.action == Action::Read) inner_.insert(in.read.var.value);
  }

  ControlKey run() {
    // Repeats until nothing is added: if a loop variable decides something, the start of its loop
    // does too; the same holds for a let.
    std::size_t before = 0;
    do {
      before = deciding_.size();
      for_each_node(code_.body, [&](const LoweredNode& n) { mark(n); });
    } while (deciding_.size() != before);
    for_each_node(code_.body, [&](const LoweredNode& n) { collect(n); });
    return std::move(key_);
  }

 private:
  void decides(const Expr& e) {
    e.for_each_var([&](VarId v) { deciding_.insert(v.value); });
  }
  void decides(const Cond& c) {
    for_each_var(c, [&](VarId v) { deciding_.insert(v.value); });
  }

  // A float scalar is passed as its bits, which serve as a key.
  template <class F>
  static void for_each_operand(const Compute& c, F visit) {
    for (const ScalarOperand* o : {&c.a, &c.b}) {
      if (o->kind == ScalarOperand::Kind::Index) visit(o->index);
      if (o->kind == ScalarOperand::Kind::Variable) visit(Expr::var(o->variable));
    }
  }

  const Instruction* instruction(const LoweredNode& n) const {
    const auto* issue = n.as<LoweredNode::Issue>();
    return issue ? &code_.instructions[static_cast<std::size_t>(issue->instruction)] : nullptr;
  }

  void mark(const LoweredNode& n) {
    if (const auto* f = n.as<LoweredFor>()) {
      decides(f->stop - f->start);
      if (deciding_.contains(f->var.value)) decides(f->start);
    } else if (const auto* c = n.as<LoweredIf>()) {
      decides(c->condition);
    } else if (const auto* w = n.as<LoweredWhile>()) {
      decides(w->condition);
    } else if (const auto* let = n.as<Let>()) {
      if (deciding_.contains(let->var.value)) decides(let->value);
    } else if (const auto* compute = n.as<Compute>()) {
      if (deciding_.contains(compute->var.value))
        for_each_operand(*compute, [&](const Expr& e) { decides(e); });
    } else if (const Instruction* in = instruction(n)) {
      for (const Expr& e : in->op.valid) decides(e);
      if (in->action == Action::Read && deciding_.contains(in->read.var.value))
        for (const Expr& e : in->read.index) decides(e);
    }
  }

  // An expression over the kernel's scalars alone is one number of the key. One that also names
  // variables of the kernel brings in each of its scalars.
  void take(const Expr& e) {
    bool mixed = false;
    e.for_each_var([&](VarId v) { mixed = mixed || inner_.contains(v.value); });
    if (e.is_constant()) return;
    if (!mixed) return add(e);
    e.for_each_var([&](VarId v) {
      if (scalars_.contains(v.value)) add(Expr::var(v));
    });
  }
  void take(const Cond& c) {
    if (c.kind != Cond::Kind::Compare) {
      for (const Cond& part : c.parts) take(part);
      return;
    }
    take(c.left - c.right);
  }
  void add(Expr e) {
    if (std::ranges::find(key_.values, e) == key_.values.end()) key_.values.push_back(std::move(e));
  }

  void collect(const LoweredNode& n) {
    if (const auto* f = n.as<LoweredFor>()) {
      take(f->stop - f->start);
      if (deciding_.contains(f->var.value)) take(f->start);
    } else if (const auto* c = n.as<LoweredIf>()) {
      take(c->condition);
    } else if (const auto* w = n.as<LoweredWhile>()) {
      take(w->condition);
    } else if (const auto* let = n.as<Let>()) {
      if (deciding_.contains(let->var.value)) take(let->value);
    } else if (const auto* compute = n.as<Compute>()) {
      if (deciding_.contains(compute->var.value))
        for_each_operand(*compute, [&](const Expr& e) { take(e); });
    } else if (const Instruction* in = instruction(n)) {
      for (const Expr& e : in->op.valid) take(e);
      key_.reads_data = key_.reads_data || in->action == Action::Read;
    }
  }

  const LoweredKernel& code_;
  std::set<uint32_t> scalars_, inner_, deciding_;
  ControlKey key_;
};

}  // namespace

ControlKey control_key(const Kernel& kernel) { return Finder(kernel).run(); }

}  // namespace tilewright::sim
