// The program itself: which function it starts with, and its parameters.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/functions.h"
#include "tilewright/frontend/file.h"
#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {

Lowering::Lowering(LoweringInput input)
    : Evaluator(input.home.module->parsed->source(), input.world), in_(std::move(input)) {
  program_.name = in_.name;
}

// Python stops at a decorator that pl does not have. Other unknown ones may be newer than this.
// Words that are nearly one that decides how a function is read. Others may be news of the dialect.
void Lowering::require_known_decorators() const {
  static const std::vector<std::string> known{"function",   "jit",        "jit.inline",
                                              "jit.incore", "jit.extern", "jit.host"};
  if (in_.program->kind != StmtKind::Class) return;
  for (const Stmt* s : in_.program->body) {
    if (s->kind != StmtKind::Function) continue;
    const std::string path = decorator_path(*s);
    if (path.empty()) continue;
    if (std::ranges::find(known, path) != known.end()) {
      for (const Expr* d : s->decorators)
        for (const Keyword& k : d->keywords) require_known_type(k);
      continue;
    }
    if (const std::string meant = did_you_mean(path, known); !meant.empty())
      fail(decorator_of_pl(*s)->at, "unsupported",
           fmt::format("@pl.{} is not supported{}", path, meant),
           "functions of a program are decorated with @pl.function or @pl.jit", "use one of them");
  }
}

void Lowering::require_known_type(const Keyword& k) const {
  static const std::vector<std::string> types{"Opaque", "Orchestration", "InCore",
                                              "AIC",    "AIV",           "Inline"};
  constexpr const char* kLaw = "the type of a function decides how it is read";
  const At at = k.value->at;
  const std::string path = dotted_path(*k.value);
  if (k.name != "type") {
    if (path.starts_with("pl.FunctionType."))
      fail(at, "unsupported",
           fmt::format("argument {} of a decorator; did you mean 'type'?", k.name), kLaw,
           fmt::format("write type={}", path));
    return;
  }
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || !path.starts_with("pl.")) return;
  const std::string of = path.substr(0, dot), name = path.substr(dot + 1);
  const bool known = std::ranges::find(types, name) != types.end();
  if (of == "pl.FunctionType" ? known : !nearest(of, {"pl.FunctionType"})) return;
  const auto close = known ? std::optional(name) : nearest(name, types);
  if (!close) return;
  fail(at, "unsupported",
       fmt::format("unknown type {}; did you mean 'pl.FunctionType.{}'?", path, *close), kLaw,
       fmt::format("the types are {}", join(types, ", ")));
}

const Stmt* Lowering::entry() const {
  if (in_.program->kind == StmtKind::Class)
    for (const Stmt* s : in_.program->body)
      if (s->kind == StmtKind::Function && is_decorated_by_pl(*s) && starts_ranks(*s)) return s;
  const Stmt* found = entry_function(*in_.program);
  if (!found)
    fail(in_.program->at, "program",
         fmt::format("program {} has no entry function", in_.program->name),
         "a program needs a function decorated with @pl.function that is not a host step",
         "add one, or name another program");
  return found;
}

ir::Program Lowering::run() {
  const Stmt* function = entry();
  blocks_.emplace_back();
  frames_.emplace_back();
  frame().function = function;
  frame().home = &in_.home;
  try {
    require_known_decorators();
    const bool host = starts_ranks(*function);
    if (!host) require_readable(*function, *source_);
    if (function_kind(*function) == FunctionKind::External)
      fail(function->at, "program", fmt::format("{} is an external kernel", function->name),
           "a program needs a body; only the signature of an external kernel is known",
           "name the program that calls it");
    if (has_windows(*function)) declare_rank(ranks_around());
    declare_parameters(*function);
    if (host) declare_rank(ranks_of(*function));
    read_ranks();
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
           "a program needs at least one parameter", "declare inputs and outputs first");
  return std::move(program_);
}

// ---- parameters --------------------------------------------------------------------------------

ir::Role Lowering::role_of(const Parameter& p, ir::Direction direction) const {
  if (in_.directives)
    for (const Directive& d : *in_.directives)
      for (ir::Role r : {ir::Role::Weight, ir::Role::State})
        if (d.line == p.at.line && d.text == ir::role_name(r)) return r;
  if (is_marked_window(p.at)) return ir::Role::State;
  const bool kept = direction == ir::Direction::InOut && !in_.names_are_buffers;
  return kept ? ir::Role::State : ir::Role::Activation;
}

void Lowering::declare_parameter(const Parameter& p) {
  if (!p.annotation)
    fail(p.at, "parameter", fmt::format("parameter {} has no type", p.name),
         "every parameter of a program needs a shape and an element type",
         "write name: pl.Tensor[[16, 128], pl.BF16]");
  const auto told = in_.types.find(std::string(p.name));
  const LoweringInput::KnownType* known = told == in_.types.end() ? nullptr : &told->second;
  ParameterType t = parameter_type(*p.annotation, known ? &known->shape : nullptr);
  if (!t.typed && (!known || known->by_name)) {
    const Function entry{frame().function, nullptr, frame().home, nullptr};
    if (const auto used = type_where_used(entry, p.name, known ? &known->shape : nullptr)) {
      t.typed = true;
      t.type = used->type;
    }
  }
  if (!t.typed && known && !known->shape.empty() && known->dtype) {
    t.typed = true;
    t.type = {*known->dtype, known->shape};
  }
  if (!t.complete()) {
    if (!t.typed)
      missing_.push_back(
          {fmt::format("the type of {}", p.name), fmt::format("--arg {}=BF16[16,128]", p.name)});
    for (const std::string& size : t.open)
      if (!size.empty()) missing_.push_back({size, fmt::format("--arg {}=NUMBER", size)});
    t.type = ir::usable(std::move(t.type));
  }
  if (t.kind == ParameterType::Kind::Task)
    unsupported(p.at, "a task id as a parameter of a program",
                "use a task id that a task of the program creates");
  if (!t.scalar())
    if (const auto e = ir::unusable(t.type)) {
      report(p.at, e->code, fmt::format("parameter {} of {}", p.name, e->what), e->law, e->help);
      t.type = ir::usable(std::move(t.type));
    }
  if (t.scalar() && program_.rank.valid() && (p.name == "my_rank" || p.name == "rank"))
    return bind(p.name, {ir::Expr::var(program_.rank)});
  if (t.window) {
    t.type.shape.insert(t.type.shape.begin(), program_.ranks);
    t.direction = ir::Direction::InOut;
  }
  ir::Var v;
  v.window = t.window || is_marked_window(p.at);
  v.name = names_.take(p.name);
  v.written = p.name;
  if (v.name != p.name)
    report(p.at, "name",
           fmt::format("parameter name {} is already used or is not an identifier", quote(p.name)),
           "parameter names are unique identifiers", "choose another name");
  v.scalar = t.scalar();
  v.dtype = t.type.dtype;
  v.shape = t.type.shape;
  v.layout = t.layout;
  v.place = place(p.at);
  const ir::VarId id = new_var(std::move(v));
  program_.params.push_back({id, t.direction, role_of(p, t.direction)});
  if (t.window) {
    bind(p.name, {Tensor{own_part(id, p.at)}});
  } else if (t.scalar()) {
    bind(p.name, t.type.dtype == DType::F32 ? Value{FloatScalar{id}} : Value{ir::Expr::var(id)});
  } else {
    bind(p.name, {Tensor{id}});
    if (t.direction != ir::Direction::In) frame().outputs.insert(p.name);
  }
  if (in_.names_are_buffers) frame().pinned[p.name] = id;
}

void Lowering::declare_parameters(const Stmt& function) {
  // A dynamic size may stand in an expression before it stands alone, so all are looked at first.
  for (const Parameter& p : function.parameters) {
    const auto told = in_.types.find(std::string(p.name));
    if (!p.annotation || told == in_.types.end()) continue;
    try {
      parameter_type(*p.annotation, &told->second.shape);
    } catch (const UserError&) {  // told when the parameter is declared
    }
  }
  declaring_ = true;
  for (const Parameter& p : function.parameters)
    if (p.name != "self") {
      declare_parameter(p);
      hear(p.at, p.name, current(p.name), true);
    }
  declaring_ = false;
  report_missing();
}

// All sizes that nobody gives, at once.
void Lowering::report_missing() {
  if (missing_.empty()) return;
  std::vector<std::string> sizes, flags;
  for (const Missing& m : missing_) {
    if (std::ranges::find(flags, m.flag) != flags.end()) continue;
    sizes.push_back(m.size);
    flags.push_back(m.flag);
  }
  report(frame().function->at, "dynamic",
         fmt::format("{} not known: {}",
                     sizes.size() == 1 ? "a size is" : fmt::format("{} sizes are", sizes.size()),
                     join(sizes, ", ")),
         "a program is checked and run for concrete sizes, which come from its specs or from --arg",
         fmt::format("give {}", join(flags, " ")));
  throw AlreadyTold();
}

}  // namespace tilewright::frontend
