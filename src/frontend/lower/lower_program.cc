// The program itself: which function it starts with, its parameters, and what it returns.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/functions.h"
#include "tilewright/frontend/lower/lowering.h"
#include "tilewright/ir/walk.h"

namespace tilewright::frontend {

Lowering::Lowering(LoweringInput input) : Evaluator(input.source), in_(std::move(input)) {
  program_.name = in_.name;
}

const Stmt* Lowering::entry() const {
  if (in_.program->kind == StmtKind::Function) return in_.program;
  const Stmt* found = nullptr;
  const Stmt* kernel = nullptr;
  for (const Stmt* s : in_.program->body) {
    if (s->kind != StmtKind::Function || !is_decorated_by_pl(*s)) continue;
    const FunctionKind kind = function_kind(*s);
    if (kind == FunctionKind::Orchestration) found = s;
    if (kind == FunctionKind::InCore) kernel = s;
  }
  if (!found) found = kernel;
  if (!found)
    fail(in_.program->at, "program",
         fmt::format("program {} has no function to start with", in_.program->name),
         "a program has a function decorated @pl.function that is no host step",
         "add one, or name another program");
  return found;
}

ir::Program Lowering::run() {
  const Stmt* function = entry();
  blocks_.emplace_back();
  frames_.emplace_back();
  frame().function = function;
  try {
    require_readable(*function, source_);
    declare_parameters(*function);
    frame().liveness = liveness_of(*function);
    if (function_kind(*function) == FunctionKind::InCore) {
      ir::Scope scope;
      scope.name = std::string(function->name);
      scope.place = place(function->at);
      kernel_body(*function, std::move(scope));
    } else {
      body(function->body);
    }
    check_return(*function);
  } catch (const UserError& e) {
    tell(e.diagnostic());
  } catch (const AlreadyTold&) {
  } catch (const TooManyErrors&) {}
  program_.body = std::move(blocks_.front());
  if (!in_.names_are_buffers) fix_directions();
  if (program_.params.empty() && !program_.diagnostics.has_errors())
    report(function->at, "no-params",
           fmt::format("program {} has no parameters", quote(program_.name)),
           "a program works on named parameters", "declare inputs and outputs first");
  return std::move(program_);
}

// ---- parameters --------------------------------------------------------------------------------

Shape Lowering::dimensions(const Expr& list, const Shape* known) {
  if (list.kind != ExprKind::List && list.kind != ExprKind::Tuple)
    unsupported(list.at, "a shape that is not a list", "write the dimensions in [ ]");
  Shape shape;
  for (const Expr* e : list.parts) {
    const Value* named = e->kind == ExprKind::Name ? in_.constants.find(e->text) : nullptr;
    const auto* dynamic = named ? named->as<Dynamic>() : nullptr;
    if (dynamic && known && known->size() == list.parts.size())
      dynamic_.emplace(dynamic->name, (*known)[shape.size()]);
    if (naming_sizes_ && !dynamic) {
      shape.push_back(0);
      continue;
    }
    shape.push_back(constant_of(evaluate(*e), e->at, "a dimension"));
  }
  return shape;
}

Lowering::ParameterType Lowering::parameter_type(const Expr& annotation, const Shape* known) {
  const bool subscripted = annotation.kind == ExprKind::Subscript;
  const std::string word = dotted_path(subscripted ? *annotation.parts[0] : annotation);
  ParameterType out;
  if (word == "pl.Tensor" && !subscripted) {
    out.typed = false;
    return out;
  }
  if (subscripted && (word == "pl.Out" || word == "pl.InOut") && annotation.parts.size() == 2) {
    out = parameter_type(*annotation.parts[1], known);
    out.direction = word == "pl.Out" ? ir::Direction::Out : ir::Direction::InOut;
    return out;
  }
  if (subscripted && word == "pl.Scalar" && annotation.parts.size() == 2) {
    out.scalar = true;
    const Value type = evaluate(*annotation.parts[1]);
    if (type.is_word("TASK_ID"))
      unsupported(annotation.at, "a task id as a parameter", "order follows from data; drop it");
    if (!type.as<DType>())
      unsupported(annotation.at, "this scalar type",
                  "use pl.Scalar[pl.INDEX] or pl.Scalar[pl.FP32]");
    out.type.dtype = is_float(*type.as<DType>()) ? DType::F32 : DType::Index;
    return out;
  }
  const bool array = word == "pl.Tensor" || word == "pl.Tile";
  if (!subscripted || !array || annotation.parts.size() < 3)
    unsupported(annotation.at,
                word.empty() ? "this annotation" : fmt::format("the annotation {}", word),
                "use pl.Tensor[[16, 128], pl.BF16], with pl.Out[...] or pl.InOut[...] around it");
  out.type.shape = dimensions(*annotation.parts[1], known);
  const Value type = evaluate(*annotation.parts[2]);
  if (!type.as<DType>())
    unsupported(annotation.parts[2]->at, "this element type", "use one of pl, such as pl.BF16");
  out.type.dtype = *type.as<DType>();
  for (std::size_t i = 3; i < annotation.parts.size(); ++i) {
    const Value extra = evaluate(*annotation.parts[i]);
    bool known =
        word == "pl.Tile" && extra.as<Word>();  // a memory space: placement is checked elsewhere
    for (ir::Layout l : {ir::Layout::ND, ir::Layout::DN, ir::Layout::NZ})
      for (const char* spelling : {"Layout.{}", "TensorLayout.{}", "{}"})
        if (extra.is_word(fmt::format(fmt::runtime(spelling), ir::layout_name(l)))) {
          out.layout = l;
          known = true;
        }
    if (!known) unsupported(annotation.parts[i]->at, "this part of an annotation", "leave it out");
  }
  return out;
}

ir::Role Lowering::role_of(const Parameter& p, ir::Direction direction) const {
  if (in_.directives)
    for (const Directive& d : *in_.directives)
      for (ir::Role r : {ir::Role::Weight, ir::Role::State})
        if (d.line == p.at.line && d.text == ir::role_name(r)) return r;
  const bool kept = direction == ir::Direction::InOut && !in_.names_are_buffers;
  return kept ? ir::Role::State : ir::Role::Activation;
}

void Lowering::declare_parameter(const Parameter& p) {
  if (p.initial) unsupported(p.at, "a default value of a program's parameter", "take it out");
  if (!p.annotation)
    fail(p.at, "parameter", fmt::format("parameter {} has no type", p.name),
         "the parameters of a program have shapes and element types",
         "write name: pl.Tensor[[16, 128], pl.BF16]");
  const auto spec = in_.spec_shapes.find(std::string(p.name));
  ParameterType t =
      parameter_type(*p.annotation, spec == in_.spec_shapes.end() ? nullptr : &spec->second);
  if (!t.typed)
    fail(p.at, "parameter", fmt::format("parameter {} has no shape", p.name),
         "the parameters of a program have shapes and element types",
         "write pl.Tensor[[16, 128], pl.BF16]");
  if (!t.scalar)
    if (const auto e = ir::unusable(t.type)) {
      report(p.at, e->code, fmt::format("parameter {} of {}", p.name, e->what), e->law, e->help);
      t.type = ir::usable(std::move(t.type));
    }
  ir::Var v;
  v.name = names_.take(p.name);
  if (v.name != p.name)
    report(p.at, "name",
           fmt::format("parameter name {} is taken or not an identifier", quote(p.name)),
           "parameters are found by name, so each has its own", "choose another name");
  v.scalar = t.scalar;
  v.dtype = t.type.dtype;
  v.shape = t.type.shape;
  v.layout = t.layout;
  v.place = place(p.at);
  const ir::VarId id = new_var(std::move(v));
  program_.params.push_back({id, t.direction, role_of(p, t.direction)});
  if (t.scalar) {
    bind(p.name, t.type.dtype == DType::F32 ? Value{FloatScalar{id}} : Value{ir::Expr::var(id)});
  } else {
    bind(p.name, {Tensor{id}});
    if (t.direction != ir::Direction::In) frame().outputs.insert(p.name);
  }
  if (in_.names_are_buffers) frame().pinned[p.name] = id;
}

// A dynamic size may stand in an expression before it stands alone, so all are named first.
void Lowering::name_sizes(const Stmt& function) {
  naming_sizes_ = true;
  for (const Parameter& p : function.parameters) {
    const auto spec = in_.spec_shapes.find(std::string(p.name));
    if (p.annotation && spec != in_.spec_shapes.end()) parameter_type(*p.annotation, &spec->second);
  }
  naming_sizes_ = false;
}

void Lowering::declare_parameters(const Stmt& function) {
  name_sizes(function);
  for (const Parameter& p : function.parameters)
    if (p.name != "self") declare_parameter(p);
}

// ---- the end -----------------------------------------------------------------------------------

// Older programs write parameters that they declare as inputs. The body decides.
void Lowering::fix_directions() {
  std::map<ir::VarId, ir::VarId> views;
  const auto root = [&](ir::VarId v) {
    const auto it = views.find(v);
    return it == views.end() ? v : it->second;
  };
  std::set<ir::VarId> written;
  const std::function<void(const ir::Block&, bool)> visit = [&](const ir::Block& block,
                                                                bool scope) {
    for (const ir::Stmt& s : block) {
      if (const auto* op = s.as<ir::Op>()) {
        const bool view = op->kind == ir::OpKind::Slice || op->kind == ir::OpKind::Reshape;
        if (view && !scope)
          views[op->dst] = root(op->args[0]);
        else
          written.insert(root(op->dst));
      }
      const auto* loop = s.as<ir::For>();
      const bool inner = scope || s.as<ir::Scope>() || (loop && loop->kind == ir::LoopKind::Spmd);
      ir::for_each_body(s, [&](const ir::Block& b) { visit(b, inner); });
    }
  };
  visit(program_.body, false);
  for (ir::Param& p : program_.params) {
    if (p.direction != ir::Direction::In || !written.contains(p.var)) continue;
    p.direction = ir::Direction::InOut;
    p.role = ir::Role::State;
    const ir::Var& v = program_[p.var];
    report({v.place.line, v.place.column}, "direction",
           fmt::format("parameter {} is written, and taken as InOut", v.name),
           "what a program writes is an output, whatever its annotation says",
           fmt::format("declare it pl.InOut[...], or pl.Out[...] if every element of {} is written",
                       v.name),
           Severity::Note);
  }
}

void Lowering::check_return(const Stmt& function) {
  if (!frame().has_returned) return;
  for (const Value& v : frame().returned) {
    const auto* t = v.as<Tensor>();
    if (t && program_.param_of(t->var)) continue;
    if (!t && (v.as<None>() || v.as<Told>())) continue;
    report(function.at, "return",
           fmt::format("{} returns {}, which is no parameter", function.name,
                       t ? program_[t->var].name : kind_text(v)),
           "the results of a program are its Out and InOut parameters",
           "declare a parameter pl.Out[...] and assemble the value into it");
  }
}

}  // namespace tilewright::frontend
