// Statements: each either becomes part of the program or is refused with its line; after a refusal
// the names it would have bound are known to be wrong, and are not complained about again.
#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/lowering.h"
#include "tilewright/ir/walk.h"

namespace tilewright::frontend {
namespace {

constexpr std::size_t kMaxErrors = 20;
constexpr int64_t kMaxStatements = 1000000;

}  // namespace

// ---- building ----------------------------------------------------------------------------------

ir::VarId Lowering::new_var(ir::Var v) {
  made_in_.push_back(in_scope() ? scope_number_ : 0);
  uses_.push_back(0);
  return program_.add_var(std::move(v));
}

bool Lowering::is_tile(ir::VarId v) const {
  return in_scope() && made_in_[v.index()] == scope_number_ && !program_[v].scalar;
}

void Lowering::append(ir::Stmt s) {
  if (auto* op = s.as<ir::Op>())
    for (ir::VarId& v : op->args)
      if (is_transpose_view(v)) v = made_transpose(v, op->place);
  ir::for_each_array_use(s, [&](ir::VarId v, bool) { ++uses_[v.index()]; });
  blocks_.back().push_back(std::move(s));
}

ir::Range Lowering::range_of(ir::VarId v) const {
  const auto it = ranges_.find(v);
  return it == ranges_.end() ? ir::Range{} : it->second;
}

std::optional<int64_t> Lowering::most(const ir::Expr& e) const {
  return ir::bounds(e, [&](ir::VarId v) { return range_of(v); }).high;
}

ir::VarId Lowering::root_of(ir::VarId v) const {
  const auto it = views_.find(v);
  return it == views_.end() ? v : it->second;
}

ir::Block Lowering::close() {
  ir::Block b = std::move(blocks_.back());
  blocks_.pop_back();
  return b;
}

void Lowering::report(At at, std::string code, std::string what, std::string law, std::string help,
                      Severity severity) {
  const Place where = place(at);
  tell({severity, std::move(code), std::move(what), fmt::format("at {}", where.text()),
        std::move(law), std::move(help), where.excerpt(), where});
}

void Lowering::tell(const Diagnostic& told) {
  Diagnostic d = told;
  d.where += fmt::format(", program {}", program_.name);
  if (!scope_name_.empty()) d.where += fmt::format(", scope {}", quote(scope_name_));
  program_.diagnostics.add(std::move(d));
  if (told.severity == Severity::Error && ++errors_ >= kMaxErrors) throw TooManyErrors();
}

// ---- values of a certain kind ------------------------------------------------------------------

Value Lowering::value_of(const Expr& e, std::string_view target) {
  Value v = e.kind == ExprKind::Call        ? call(e, target)
            : e.kind == ExprKind::Subscript ? subscript(e, target)
                                            : evaluate(e);
  if (v.as<Told>()) throw AlreadyTold();
  return require_known(std::move(v), "a value", e.at);
}

Value Lowering::resolved(Value v, At at) {
  const auto* d = v.as<Dynamic>();
  if (!d) return v;
  for (auto f = frames_.rbegin(); f != frames_.rend(); ++f) {
    const auto it = f->sizes.find(d->name);
    if (it != f->sizes.end()) return {ir::Expr(it->second)};
  }
  if (declaring_) {
    missing_.push_back({d->name, fmt::format("--arg {}=NUMBER", d->name)});
    return {ir::Expr(1)};
  }
  fail(at, "dynamic", fmt::format("the size {} is not known", d->name),
       "a program is checked and run for concrete sizes",
       fmt::format("give it with --arg {}=NUMBER, or in the tensor specs", d->name));
}

ir::VarId Lowering::tensor_of(const Value& v, At at, std::string_view what) const {
  if (const auto* t = v.as<Tensor>()) return t->var;
  fail(at, "argument", fmt::format("{} is {}", what, kind_text(v)),
       "operations work on tensors and tiles", "check the argument and its position");
}

ir::Expr Lowering::integer_of(const Value& value, At at, std::string_view what) {
  const Value v = resolved(value, at);
  if (const auto* e = v.as<ir::Expr>()) return *e;
  if (const auto* b = v.as<bool>()) return ir::Expr(*b ? 1 : 0);
  if (v.as<Told>()) throw AlreadyTold();
  fail(at, "argument", fmt::format("{} is {}", what, kind_text(v)),
       "offsets, bounds and valid shapes are integers", "use an integer; // divides integers");
}

int64_t Lowering::constant_of(const Value& value, At at, std::string_view what) {
  const ir::Expr e = integer_of(value, at, what);
  if (e.is_constant()) return e.constant();
  fail(at, "constant", fmt::format("{} is only known when the program runs", what),
       "shapes, steps, chunks and stages must be constants",
       "use a constant; valid_shape may vary");
}

// ---- statements --------------------------------------------------------------------------------

void Lowering::body(const Body& statements) {
  for (const Stmt* s : statements) statement(*s);
}

void Lowering::statement(const Stmt& s) {
  try {
    lower(s);
  } catch (const UserError& e) {
    poison(s);
    Diagnostic d = e.diagnostic();
    if (d.where.empty()) {  // arithmetic does not know where it stands
      d.where = fmt::format("at {}", place(s.at).text());
      d.excerpt = place(s.at).excerpt();
    }
    tell(d);
  } catch (const AlreadyTold&) {
    poison(s);
  }
}

void Lowering::poison(const Stmt& s) {
  for (const Expr* t : s.targets) {
    const Expr* target = t->kind == ExprKind::Subscript ? t->parts[0] : t;
    if (target->kind == ExprKind::Name) set_binding(target->text, {{Told{}}, ""});
  }
  for (const Stmt* inner : s.body) poison(*inner);
  for (const Stmt* inner : s.other) poison(*inner);
}

void Lowering::lower(const Stmt& s) {
  if (++statements_ > kMaxStatements) {
    report(s.at, "call", fmt::format("the program has more than {} statements", kMaxStatements),
           "calls are expanded inline", "use loops instead of calls inside calls");
    throw TooManyErrors();
  }
  written_now_ = {};
  read_now_ = {};
  computed_now_ = {};
  if (frame().has_returned)
    unsupported(s.at, "a statement after return", "return once, at the end");
  switch (s.kind) {
    case StmtKind::Assign: return assign_statement(s);
    case StmtKind::Evaluate: return evaluate_statement(s);
    case StmtKind::For: return for_statement(s);
    case StmtKind::While: return while_statement(s);
    case StmtKind::If: return if_statement(s);
    case StmtKind::With: return with_statement(s);
    case StmtKind::Return: return return_statement(s);
    case StmtKind::Break: return append({ir::Break{place(s.at)}});
    case StmtKind::Continue: return append({ir::Continue{place(s.at)}});
    case StmtKind::Pass: return;
    case StmtKind::Assert:
      if (!truth(value_of(*s.value), s.value->at))
        fail(s.value->at, "assert", "an assert in the file fails",
             "the file checks which sizes it supports", "choose other sizes");
      return;
    case StmtKind::Augment: return augment_statement(s);
    case StmtKind::Raise:
      unsupported(s.at, "'raise' inside a program", "check sizes in the builder");
    case StmtKind::Function:
      unsupported(s.at, "a function inside a function", "define it in the class");
    case StmtKind::Class: unsupported(s.at, "a class inside a function", "define it outside");
    case StmtKind::Try: unsupported(s.at, "'try' inside a program", "check sizes in the builder");
    case StmtKind::Delete: unsupported(s.at, "'del' inside a program", "remove it");
    case StmtKind::Import:
      unsupported(s.at, "'import' inside a program", "import it at the top of the file");
    case StmtKind::Skipped:
      if (s.why.empty()) throw AlreadyTold();  // a mistake the parser has told
      unsupported(s.at, fmt::format("{} inside a program", s.why), "do it at the top of the file");
  }
}

namespace {

std::string trimmed(std::string_view text) {
  const std::size_t from = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t to = text.find_last_not_of(' ');
  return std::string(text.substr(from, to == std::string_view::npos ? 0 : to + 1 - from));
}

}  // namespace

// x += y has two meanings in Python, a new value or a change of the old one; the help says which
// line means what a program means.
void Lowering::augment_statement(const Stmt& s) {
  const std::string_view op = s.name.substr(0, s.name.size() - 1);
  const Expr& target = *s.targets[0];
  const bool tensor = target.kind == ExprKind::Subscript || value_of(target).as<Tensor>();
  const std::string_view call = tensor ? tensor_call(op) : std::string_view();
  // The two sides as the file has them, when the statement is one short line.
  constexpr std::size_t kLongest = 60;
  const Place where = place(s.at);
  std::string left = dotted_path(target), right = "...";
  if (where.source && where.line <= where.source->lines.size()) {
    const std::string& line = where.source->lines[where.line - 1];
    const std::size_t at = line.find(s.name, where.column - 1);
    if (at != std::string::npos && line.size() <= kLongest) {
      const std::string rest = line.substr(at + s.name.size());
      left = trimmed(line.substr(0, at));
      right = trimmed(rest.substr(0, rest.find('#')));
    }
  }
  if (left.empty()) left = "x";
  // A sum of products is kept in the accumulator.
  constexpr std::string_view kProduct = "pl.matmul(";
  if (tensor && op == "+" && right.starts_with(kProduct))
    unsupported(s.at, "'+='",
                fmt::format("write {0} = pl.matmul_acc({0}, {1}", left, right.substr(kProduct.size())));
  unsupported(s.at, fmt::format("'{}'", s.name),
              tensor && call.empty() ? "write it with pl. calls"
              : tensor ? fmt::format("write {0} = {1}({0}, {2})", left, call, right)
                       : fmt::format("write {0} = {0} {1} {2}", left, op, right));
}

void Lowering::assign_statement(const Stmt& s) {
  if (!s.value) unsupported(s.at, "a name without a value", "assign a value to the name");
  if (!s.also.empty())
    unsupported(s.also[0]->at, "an assignment to several names at once",
                "assign one after the other");
  for (const Expr* t : s.targets)
    if (t->kind != ExprKind::Name && (s.targets.size() > 1 || t->kind != ExprKind::Subscript))
      unsupported(t->at, "an assignment to an expression that is not a name",
                  "assign to a name, to names in a row, or to a window x[a:b, c:d]");
  if (s.value->kind == ExprKind::Call && dotted_path(*s.value->parts[0]) == "pl.yield_")
    return yield(s);
  if (s.targets.size() > 1) {
    const Value v = value_of(*s.value);
    const auto* list = v.as<List>();
    if (!list || list->items().size() != s.targets.size())
      fail(s.at, "unpack",
           fmt::format("cannot unpack {1} into {0}",
                       counted(static_cast<int64_t>(s.targets.size()), "name"),
                       list ? counted(static_cast<int64_t>(list->items().size()), "value")
                            : kind_text(v)),
           "unpacking needs one name per value", "use as many names as there are values");
    for (std::size_t i = 0; i < s.targets.size(); ++i)
      assign(*s.targets[i], list->items()[i], Origin::Made);
    return;
  }
  const Expr& target = *s.targets[0];
  if (target.kind == ExprKind::Subscript) return assign_window(target, value_of(*s.value));
  Value v = value_of(*s.value, target.text);
  if (const auto* list = v.as<List>(); list && list->items().size() == 1) v = Value(list->items()[0]);
  if (s.annotation) check_annotation(*s.annotation, v);
  if (s.value->kind != ExprKind::Name) return assign(target, std::move(v), Origin::Made);
  assign(target, std::move(v), is_spent(s, *s.value) ? Origin::HandedOver : Origin::Copied);
}

// `x: pl.Tile[[16, 1], pl.FP32] = ...` must be true; memory spaces in it are not compared.
void Lowering::check_annotation(const Expr& annotation, const Value& v) {
  const auto* t = v.as<Tensor>();
  if (!t) return;
  const ParameterType wanted = parameter_type(annotation, nullptr);
  const ir::Var& var = program_[t->var];
  if (!wanted.complete() || wanted.scalar() ||
      (wanted.type.dtype == var.dtype && wanted.type.shape == var.shape))
    return;
  fail(annotation.at, "annotation",
       fmt::format("{} is annotated {}, but is {}", var.written_name(), ir::type_text(wanted.type),
                   ir::type_text(var)),
       "an annotation must match the type of its value", "correct the annotation or the value");
}

void Lowering::evaluate_statement(const Stmt& s) {
  const Expr& e = *s.value;
  if (e.kind == ExprKind::String || e.kind == ExprKind::Ellipsis) return;  // a docstring
  if (e.kind == ExprKind::Unread)
    unsupported(s.at, fmt::format("'{}' inside a program", e.text), "return the values at the end");
  if (e.kind != ExprKind::Call)
    unsupported(s.at, "a statement that does nothing", "assign its value to a name");
  const Expr& callee = *e.parts[0];
  // x.bind_dynamic(0, N) repeats what the annotation says.
  if (callee.kind == ExprKind::Attribute && callee.text == "bind_dynamic") return;
  value_of(e);
}

void Lowering::return_statement(const Stmt& s) {
  if (blocks_.size() != frame().first_block)
    unsupported(s.at, "a return inside a block", "return once, at the end of the function");
  if (s.value) {
    const Value v = value_of(*s.value);
    if (const auto* list = v.as<List>())
      frame().returned = list->items();
    else
      frame().returned = {v};
  }
  frame().has_returned = true;
}

}  // namespace tilewright::frontend
