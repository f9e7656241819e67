#include "tilewright/sim/control_key.h"

#include <algorithm>
#include <set>

#include "tilewright/ir/walk.h"

namespace tilewright::sim {
namespace {

using namespace ir;

class Finder {
 public:
  explicit Finder(const Kernel& kernel) : k_(kernel) {
    for (VarId v : kernel.scalars) scalars_.insert(v.value);
    for_each_stmt(kernel.body, [&](const Stmt& s) {
      if (const VarId v = scalar_defined(s); v.valid()) inner_.insert(v.value);
    });
  }

  std::vector<Expr> run() {
    // A loop variable that decides something makes its loop's start matter; so may a let.
    std::size_t before = 0;
    do {
      before = deciding_.size();
      for_each_stmt(k_.body, [&](const Stmt& s) { mark(s); });
    } while (deciding_.size() != before);
    for_each_stmt(k_.body, [&](const Stmt& s) { collect(s); });
    return std::move(key_);
  }

 private:
  void decides(const Expr& e) {
    e.for_each_var([&](VarId v) { deciding_.insert(v.value); });
  }
  void decides(const Cond& c) {
    for_each_var(c, [&](VarId v) { deciding_.insert(v.value); });
  }

  void mark(const Stmt& s) {
    if (const auto* f = s.as<For>()) {
      decides(f->stop - f->start);
      if (deciding_.contains(f->var.value)) decides(f->start);
    } else if (const auto* c = s.as<If>()) {
      decides(c->condition);
    } else if (const auto* w = s.as<While>()) {
      decides(w->condition);
    } else if (const auto* op = s.as<Op>()) {
      for (const Expr& e : op->valid) decides(e);
    } else if (const auto* let = s.as<Let>()) {
      if (deciding_.contains(let->var.value)) decides(let->value);
    } else if (const auto* read = s.as<Read>()) {
      if (deciding_.contains(read->var.value))
        for (const Expr& e : read->index) decides(e);
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
    if (std::ranges::find(key_, e) == key_.end()) key_.push_back(std::move(e));
  }

  void collect(const Stmt& s) {
    if (const auto* f = s.as<For>()) {
      take(f->stop - f->start);
      if (deciding_.contains(f->var.value)) take(f->start);
    } else if (const auto* c = s.as<If>()) {
      take(c->condition);
    } else if (const auto* w = s.as<While>()) {
      take(w->condition);
    } else if (const auto* op = s.as<Op>()) {
      for (const Expr& e : op->valid) take(e);
    } else if (const auto* let = s.as<Let>()) {
      if (deciding_.contains(let->var.value)) take(let->value);
    }
  }

  const Kernel& k_;
  std::set<uint32_t> scalars_, inner_, deciding_;
  std::vector<Expr> key_;
};

}  // namespace

std::vector<Expr> control_key(const Kernel& kernel) { return Finder(kernel).run(); }

}  // namespace tilewright::sim
