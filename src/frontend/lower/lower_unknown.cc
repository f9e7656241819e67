// Names that cannot be evaluated. When a parameter needs one, the program ends there; so all that it
// mentions are told together, one for each cause.
#include <fmt/format.h>

#include <set>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/lowering.h"
#include "tilewright/frontend/parse/walk.h"

namespace tilewright::frontend {
namespace {

constexpr std::size_t kMostNamed = 20;  // in one message

template <class F>
void for_each_expr_of(const Body& body, const F& visit) {
  for (const Stmt* s : body) {
    for (const Expr* target : s->targets) for_each_expr(*target, visit);
    if (s->value) for_each_expr(*s->value, visit);
    for_each_expr_of(s->body, visit);
    for_each_expr_of(s->other, visit);
  }
}

void names_bound_in(const Body& body, std::set<std::string_view>& out) {
  for (const Stmt* s : body) {
    for (const Expr* target : s->targets)
      if (target->kind != ExprKind::Subscript)
        for_each_expr(*target, [&](const Expr& e) { out.insert(e.text); });
    names_bound_in(s->body, out);
    names_bound_in(s->other, out);
  }
}

std::string reason_of(const Unknown& u) {
  const Cause* first = u.cause.get();
  while (first && first->from.get()) first = first->from.get();
  if (!first) return cause_text(u);
  return first->place.known() ? fmt::format("{} ({})", first->what, first->place.text())
                              : first->what;
}

}  // namespace

// Of a function and of all that it calls; `out` holds those that are known already.
void Lowering::add_mentioned_unknowns(const Function& start, std::vector<UnknownName>& out) const {
  std::set<std::string> reasons;
  for (const UnknownName& n : out) reasons.insert(n.reason);
  std::set<const Stmt*> seen = {start.def};
  std::vector<Function> functions = {start};
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Function function = functions[i];
    std::set<std::string_view> own;
    for (const Parameter& p : function.def->parameters) own.insert(p.name);
    names_bound_in(function.def->body, own);
    const auto visit = [&](const Expr& e) {
      if (e.kind == ExprKind::Call)
        if (const auto callee = called_function(e, *function.home))
          if (seen.insert(callee->def).second) functions.push_back(*callee);
      if (e.kind != ExprKind::Name || own.contains(e.text)) return;
      const Value* v = function.home->find(e.text);
      const auto* u = v ? v->as<Unknown>() : nullptr;
      if (u && reasons.insert(reason_of(*u)).second)
        out.push_back({std::string(e.text), reason_of(*u)});
    };
    for (const Parameter& p : function.def->parameters)
      if (p.annotation) for_each_expr(*p.annotation, visit);
    for_each_expr_of(function.def->body, visit);
  }
}

void Lowering::refuse_unknown(const Unknown& u, std::string_view name, At at) const {
  std::vector<UnknownName> all = {{std::string(name), reason_of(u)}};
  if (declaring_ && frames_.size() == 1)
    add_mentioned_unknowns({frame().function, nullptr, frame().home, nullptr}, all);
  std::vector<std::string> names, reasons;
  for (const UnknownName& n : all) {
    if (names.size() == kMostNamed) break;
    names.push_back(n.name);
    reasons.push_back(all.size() == 1 ? cause_text(u) : n.reason);
  }
  if (all.size() > kMostNamed) names.push_back(fmt::format("{} more", all.size() - kMostNamed));
  fail(at, "name", fmt::format("{} cannot be used: {}", join(names, ", "), join(reasons, "; ")),
       "a program uses values that can be evaluated from its file and its modules",
       all.size() == 1 ? "make it a constant, or name its module directory with --path DIR"
                       : "make them constants, or name their module directory with --path DIR");
}

}  // namespace tilewright::frontend
