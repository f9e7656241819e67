// Visiting the statements of a program. Every pass that asks "which statements, in which blocks"
// asks here.
#pragma once

#include <functional>
#include <type_traits>

#include "tilewright/ir/statements.h"

namespace tilewright::ir {

// Calls `visit` with each block directly inside a statement.
template <class S, class F>
void for_each_body(S& s, F&& visit) {
  if (auto* f = s.template as<For>()) visit(f->body);
  if (auto* w = s.template as<While>()) visit(w->body);
  if (auto* c = s.template as<If>()) {
    visit(c->then_body);
    visit(c->else_body);
  }
  if (auto* sc = s.template as<Scope>()) visit(sc->body);
}

// Every statement of a block and of the blocks inside it, in textual order.
template <class B, class F>
  requires std::is_same_v<std::remove_const_t<B>, Block>
void for_each_stmt(B& block, F&& visit) {
  for (auto& s : block) {
    visit(s);
    for_each_body(s, [&](auto& body) { for_each_stmt(body, visit); });
  }
}

template <class B, class F>
void for_each_op(B& block, F&& visit) {
  for_each_stmt(block, [&](auto& s) {
    if (auto* op = s.template as<Op>()) visit(*op);
  });
}

// Every scalar variable that a statement itself (not its body) reads.
void for_each_scalar_use(const Stmt& s, const std::function<void(VarId)>& visit);
// Every array a statement itself reads or writes.
void for_each_array_use(const Stmt& s, const std::function<void(VarId, bool write)>& visit);
// The scalar a statement defines, if any (loop variable, let, read, compute).
VarId scalar_defined(const Stmt& s);

// Replaces scalar variables in every expression of the block.
void substitute(Block& block, const std::function<std::optional<Expr>(VarId)>& value_of);

bool contains_scope(const Block& block);

}  // namespace tilewright::ir
