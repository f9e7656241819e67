// Bare tensors: `x: pl.Tensor` says nothing about x, but the functions that x is given to may.
#include <algorithm>

#include "tilewright/frontend/lower/lowering.h"
#include "tilewright/frontend/parse/walk.h"

namespace tilewright::frontend {
namespace {

constexpr int kMaxHandovers = 8;  // from function to function

bool assigns(const Stmt& s, std::string_view name) {
  bool found = false;
  for (const Expr* target : s.targets)
    for_each_expr(*target, [&](const Expr& e) {
      found = found || (e.kind == ExprKind::Name && e.text == name);
    });
  return found;
}

// The calls before `name` may stand for something else; the one that is assigned to it included.
void calls_with(const Body& body, std::string_view name, std::vector<const Expr*>& out,
                bool& assigned) {
  for (const Stmt* s : body) {
    if (assigned) return;
    if (s->value)
      for_each_expr(*s->value, [&](const Expr& e) {
        if (e.kind == ExprKind::Call) out.push_back(&e);
      });
    assigned = assigns(*s, name);
    calls_with(s->body, name, out, assigned);
    calls_with(s->other, name, out, assigned);
  }
}

bool is_name(const Expr& e, std::string_view name) {
  return e.kind == ExprKind::Name && e.text == name;
}

// The parameter of `function` that takes `name` in this call.
const Parameter* parameter_taking(const Expr& call, const Stmt& function, std::string_view name) {
  for (const Keyword& k : call.keywords)
    if (is_name(*k.value, name)) {
      const auto it = std::ranges::find(function.parameters, k.name, &Parameter::name);
      return it == function.parameters.end() ? nullptr : &*it;
    }
  std::size_t part = 1;
  for (const Parameter& p : function.parameters) {
    if (p.name == "self") continue;
    if (part >= call.parts.size() || call.parts[part]->kind == ExprKind::Starred) return nullptr;
    if (is_name(*call.parts[part], name)) return &p;
    ++part;
  }
  return nullptr;
}

}  // namespace

std::optional<Function> Lowering::called_function(const Expr& call, const Environment& home) const {
  const std::string path = dotted_path(*call.parts[0]);
  if (path.starts_with("self.")) return own_function(path.substr(5));
  if (const auto method = method_named(path)) return method;
  const Value* v = home.find(path);
  const auto* f = v ? v->as<Function>() : nullptr;
  return f && f->def && is_decorated_by_pl(*f->def) ? std::optional(*f) : std::nullopt;
}

// `known` is a shape that may be right; it gives dynamic sizes their numbers.
std::optional<Lowering::ParameterType> Lowering::type_where_used(const Function& function,
                                                                 std::string_view name,
                                                                 const Shape* known,
                                                                 int handovers) {
  if (handovers > kMaxHandovers) return std::nullopt;
  std::vector<const Expr*> calls;
  bool assigned = false;
  calls_with(function.def->body, name, calls, assigned);
  for (const Expr* call : calls) {
    const auto callee = called_function(*call, *function.home);
    const Parameter* p = callee ? parameter_taking(*call, *callee->def, name) : nullptr;
    if (!p || !p->annotation) continue;
    Frame opened;
    opened.function = callee->def;
    opened.home = callee->home;
    opened.sizes = frame().sizes;
    enter(std::move(opened));
    std::optional<ParameterType> type;
    try {
      type = parameter_type(*p->annotation, known);
    } catch (const UserError&) {  // told where the function is called
    }
    leave();
    if (type && !type->typed) type = type_where_used(*callee, p->name, known, handovers + 1);
    if (type && type->kind == ParameterType::Kind::Array && type->complete()) return type;
  }
  return std::nullopt;
}

}  // namespace tilewright::frontend
