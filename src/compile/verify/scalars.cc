#include <fmt/format.h>

#include <map>
#include <set>

#include "tilewright/compile/spelling.h"
#include "tilewright/compile/verify/verify.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

// Definite assignment: what is certainly set here, whichever way control came.
class ScalarChecker {
 public:
  ScalarChecker(const Program& program, PassContext& context) : p_(program), context_(context) {
    for (const Param& param : p_.params)
      if (p_[param.var].scalar) define(param.var);
  }

  void run() { block(p_.body); }

 private:
  using Set = std::set<uint32_t>;

  // Returns whether control can leave the block at its end, and not only by a jump.
  bool block(const Block& b) {
    for (const Stmt& s : b) {
      if (s.as<Break>() || s.as<Continue>()) return false;
      for_each_scalar_use(s, [&](VarId v) { use(v, s); });
      if (!statement(s)) return false;
    }
    return true;
  }

  bool statement(const Stmt& s) {
    if (const auto* f = s.as<For>()) {
      loop(*f);
    } else if (const auto* w = s.as<While>()) {
      const Set before = set_;
      block(w->body);
      set_ = before;
    } else if (const auto* c = s.as<If>()) {
      return branch(*c);
    } else if (const auto* scope = s.as<Scope>()) {
      in_scope(scope, scope->name, scope->body);
    } else if (const VarId v = scalar_defined(s); v.valid()) {
      if (const auto it = made_in_.find(v.value); it != made_in_.end() && it->second != scope_)
        crosses(v, s, "set");
      define(v);
    }
    return true;
  }

  void loop(const For& f) {
    const Set before = set_;
    made_in_.erase(f.var.value);
    loop_variables_.insert(f.var.value);
    const bool spmd = f.kind == LoopKind::Spmd;
    define(f.var);
    if (spmd) {
      in_scope(&f, f.name, f.body);
    } else {
      block(f.body);
    }
    // The scalars of an spmd body stay known here, so that using one is told as what it is.
    if (spmd || runs_whole(f)) {
      set_.erase(f.var.value);
    } else {
      set_ = before;
    }
  }

  // At least one trip, from the first statement to the last.
  static bool runs_whole(const For& f) {
    bool jumps = false;
    for_each_stmt(f.body, [&](const Stmt& s) { jumps = jumps || s.as<Break>() || s.as<Continue>(); });
    const Expr span = f.step > 0 ? f.stop - f.start : f.start - f.stop;
    return !jumps && span.is_constant() && span.constant() > 0;
  }

  bool branch(const If& c) {
    const Set before = set_;
    const bool then_ends = block(c.then_body);
    const Set after_then = std::move(set_);
    set_ = before;
    const bool else_ends = block(c.else_body);
    if (!then_ends) return else_ends;
    if (!else_ends) {
      set_ = after_then;
    } else {
      std::erase_if(set_, [&](uint32_t v) { return !after_then.contains(v); });
    }
    return true;
  }

  void in_scope(const void* scope, const std::string& name, const Block& body) {
    if (scope_) {  // nested, which the structure check tells
      block(body);
      return;
    }
    scope_ = scope;
    scope_name_ = name;
    block(body);
    scope_ = nullptr;
    scope_name_.clear();
  }

  void define(VarId v) {
    made_in_.emplace(v.value, scope_);
    set_.insert(v.value);
  }

  void use(VarId v, const Stmt& s) {
    if (!set_.contains(v.value)) {
      const bool of_loop = loop_variables_.contains(v.value);
      report(v, s,
             {.code = "undefined-scalar",
              .what = of_loop ? fmt::format("loop variable {} is used outside its loop", p_[v].written_name())
                              : fmt::format("scalar {} is used before it is set", p_[v].written_name()),
              .law = "a scalar must be set on every path before it is used, and a loop variable "
                     "exists only in its loop",
              .help = of_loop ? spelling(place_of(s), Phrase::KeepNumber)
                              : "set the scalar before the branch or loop that may not run"});
    } else if (const void* home = made_in_.at(v.value); home && home != scope_) {
      crosses(v, s, "used");
    }
  }

  void crosses(VarId v, const Stmt& s, std::string_view how) {
    report(
        v, s,
        {.code = "scalar-escape",
         .what = fmt::format("scalar {} is {} outside the scope that computes it", p_[v].written_name(), how),
         .law =
             "only tensors leave a scope; the orchestrator runs ahead and cannot wait for a scalar",
         .help = "read or compute the scalar where it is used, or before the scope"});
  }

  void report(VarId v, const Stmt& s, Problem problem) {
    if (!told_.insert({v.value, &s}).second) return;
    context_.report(p_, place_of(s), scope_name_, fmt::format("scalar {}", p_[v].written_name()),
                    std::move(problem));
  }

  const Program& p_;
  PassContext& context_;
  Set set_;
  Set loop_variables_;
  std::map<uint32_t, const void*> made_in_;  // the scope that first set it; null: the orchestrator
  std::set<std::pair<uint32_t, const Stmt*>> told_;
  const void* scope_ = nullptr;
  std::string scope_name_;
};

}  // namespace

void verify_scalars(const Program& program, PassContext& context) {
  ScalarChecker(program, context).run();
}

}  // namespace tilewright::compile
