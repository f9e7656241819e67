// Every expression of a piece of a file, outside in.
#pragma once

#include "tilewright/frontend/parse/ast.h"

namespace tilewright::frontend {

template <class F>
void for_each_expr(const Expr& e, const F& visit) {
  visit(e);
  for (const Expr* part : e.parts)
    if (part) for_each_expr(*part, visit);
  for (const Keyword& k : e.keywords) for_each_expr(*k.value, visit);
}

template <class F>
void for_each_expr(const Body& body, const F& visit) {
  for (const Stmt* s : body) {
    if (s->value) for_each_expr(*s->value, visit);
    for_each_expr(s->body, visit);
    for_each_expr(s->other, visit);
  }
}

}  // namespace tilewright::frontend
