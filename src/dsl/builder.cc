#include "tilewright/dsl/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::dsl {

struct Builder::Frame {
  ir::Stmt stmt;  // the loop, branch or scope being written; the first frame is the body
  ir::Block body;
  bool is_else = false;
};

Builder::Builder(std::string name) {
  program_.name = std::move(name);
  frames_.emplace_back();
}

Builder::~Builder() = default;

// ---- names and statements ----------------------------------------------------------------------

ir::VarId Builder::new_var(ir::Var v) {
  auto_named_.push_back(false);
  return program_.add_var(std::move(v));
}

void Builder::rename(ir::VarId var, std::string_view name) {
  program_[var].name = names_.take(name);
  program_[var].written = name;
  auto_named_[var.index()] = false;
}

void Builder::append(ir::Stmt s) {
  require_usable(s);
  frames_.back().body.push_back(std::move(s));
}

void Builder::open(ir::Stmt s) {
  require_usable(s);
  frames_.push_back({std::move(s), {}, false});
}

void Builder::require_usable(const ir::Stmt& s) const {
  const auto where = [&] {
    return fmt::format("at {}, program {}", ir::place_of(s).text(), program_.name);
  };
  if (finished_)
    user_error("finished", "a statement after finish()", where(),
               "a finished program cannot change", "call finish() last");
  // An Index carries no program, but one from elsewhere names a variable that is not here, or that
  // is no scalar.
  ir::for_each_scalar_use(s, [&](ir::VarId v) {
    if (v.index() < program_.vars.size() && program_[v].scalar) return;
    user_error("foreign-scalar", "an index belongs to another program", where(),
               "all operands of an operation must belong to one program",
               "create the index with the Builder that uses it");
  });
}

bool Builder::in_scope() const {
  return std::ranges::any_of(frames_, [](const Frame& f) {
    const auto* loop = f.stmt.as<ir::For>();
    return f.stmt.as<ir::Scope>() || (loop && loop->kind == ir::LoopKind::Spmd);
  });
}

void Builder::close() {
  if (finished_) return;  // finish() has closed what was open, and said so
  check(frames_.size() > 1, "close without open");
  Frame f = std::move(frames_.back());
  frames_.pop_back();
  if (f.is_else) {
    auto* branch = frames_.back().body.back().as<ir::If>();
    check(branch != nullptr, "else without if");
    branch->else_body = std::move(f.body);
    return;
  }
  if (auto* s = f.stmt.as<ir::For>()) s->body = std::move(f.body);
  if (auto* s = f.stmt.as<ir::While>()) s->body = std::move(f.body);
  if (auto* s = f.stmt.as<ir::If>()) s->then_body = std::move(f.body);
  if (auto* s = f.stmt.as<ir::Scope>()) s->body = std::move(f.body);
  append(std::move(f.stmt));
}

void Builder::report(std::string code, std::string what, std::string law, std::string help,
                     Here here) {
  std::string where = fmt::format("at {}, program {}", here.place().text(), program_.name);
  for (auto it = frames_.rbegin(); it != frames_.rend(); ++it) {
    const auto* scope = it->stmt.as<ir::Scope>();
    const auto* loop = it->stmt.as<ir::For>();
    const std::string& name = scope ? scope->name : (loop ? loop->name : program_.name);
    if ((!scope && !loop) || name.empty()) continue;
    where += fmt::format(", scope {}", quote(name));
    break;
  }
  program_.diagnostics.add({Severity::Error,
                            std::move(code),
                            std::move(what),
                            std::move(where),
                            std::move(law),
                            std::move(help),
                            {}});
}

// ---- parameters and arrays ---------------------------------------------------------------------

Tensor Builder::param(std::string_view name, Shape shape, DType dtype, Direction direction,
                      Role role, Here here) {
  ir::ArrayType type{dtype, std::move(shape)};
  if (const auto e = ir::unusable(type)) {
    report(e->code, fmt::format("parameter {} of {}", name, e->what), e->law, e->help, here);
    type = ir::usable(std::move(type));
  }
  ir::Var v;
  v.dtype = type.dtype;
  v.shape = std::move(type.shape);
  return {this, new_param(name, std::move(v), direction, role, here)};
}

Index Builder::scalar(std::string_view name, Here here) {
  ir::Var v;
  v.scalar = true;
  v.dtype = DType::Index;
  return Index(ir::Expr::var(new_param(name, std::move(v), Direction::In, Role::Activation, here)));
}

Scalar Builder::float_scalar(std::string_view name, Here here) {
  ir::Var v;
  v.scalar = true;
  v.dtype = DType::F32;
  return Scalar(new_param(name, std::move(v), Direction::In, Role::Activation, here));
}

ir::VarId Builder::new_param(std::string_view name, ir::Var v, Direction direction, Role role,
                             Here here) {
  v.name = names_.take(name);
  v.written = name;
  if (v.name != name)
    report("name",
           fmt::format("parameter name {} is already used or is not an identifier", quote(name)),
           "parameter names are unique identifiers", "choose another name", here);
  v.place = here.place();
  const ir::VarId id = new_var(std::move(v));
  program_.params.push_back({id, direction, role});
  return id;
}

Tensor Builder::tensor(std::string_view name, Shape shape, DType dtype, Here here) {
  ir::Op op;
  op.kind = ir::OpKind::Create;
  const Tensor t = emit(std::move(op), {dtype, std::move(shape)}, name, here);
  auto_named_[t.var().index()] = false;
  return t;
}

Tile Builder::tile(Shape shape, DType dtype, MemorySpace space, Here here) {
  ir::Op op;
  op.kind = ir::OpKind::Create;
  op.space = space;
  return emit(std::move(op), {dtype, std::move(shape)}, space == MemorySpace::Acc ? "acc" : "tile",
              here);
}

Tile Builder::full(Shape shape, DType dtype, Scalar value, Here here) {
  ir::Op op;
  op.kind = ir::OpKind::Full;
  op.scalar = value.operand();
  return emit(std::move(op), {dtype, std::move(shape)}, "full", here);
}

Tile Builder::arange(Index start, Shape shape, DType dtype, Here here) {
  ir::Op op;
  op.kind = ir::OpKind::Arange;
  op.scalar = Scalar(start).operand();
  return emit(std::move(op), {dtype, std::move(shape)}, "arange", here);
}

// ---- operations --------------------------------------------------------------------------------

Tensor Builder::emit(ir::Op op, const ir::ArrayType& declared, std::string_view name_hint,
                     Here here) {
  op.place = here.place();
  ir::ArrayType type;
  const ir::TypeResult result = ir::infer(op, declared, program_);
  if (const auto* e = std::get_if<ir::TypeError>(&result)) {
    report(e->code, e->what, e->law, e->help, here);
    type = ir::likely(op, declared, program_);
  } else {
    type = std::get<ir::ArrayType>(result);
  }
  ir::Var v;
  v.name = names_.take(name_hint);
  v.written = fmt::format("{}(...)", name_hint);
  v.dtype = type.dtype;
  v.shape = type.shape;
  v.place = op.place;
  op.dst = new_var(std::move(v));
  auto_named_[op.dst.index()] = true;
  const ir::VarId dst = op.dst;
  append({std::move(op)});
  return {this, dst};
}

void Builder::emit_in_place(ir::Op op, Here here) {
  op.place = here.place();
  const ir::TypeResult result = ir::infer(op, {}, program_);
  if (const auto* e = std::get_if<ir::TypeError>(&result)) {
    report(e->code, e->what, e->law, e->help, here);
    return;
  }
  append({std::move(op)});
}

void Builder::assign(const Tensor& dst, const Tensor& value, bool temporary, Here here) {
  const ir::Var& d = program_[dst.var()];
  const ir::Var& v = program_[value.var()];
  if (d.dtype != v.dtype || d.shape != v.shape) {
    report("assign",
           fmt::format("assign of {} {} to {} {}", v.written_name(), ir::type_text(v),
                       d.written_name(), ir::type_text(d)),
           "the element type and shape of a buffer never change", "cast or reshape the value",
           here);
    return;
  }
  // The usual assign(x, add(x, y)): the op that made the nameless value writes x directly. Outside
  // a scope a slice or reshape is a view, and x would become another name instead of being written.
  auto& body = frames_.back().body;
  if (temporary && !body.empty() && in_scope() && auto_named_[value.var().index()]) {
    if (auto* op = body.back().as<ir::Op>(); op && op->dst == value.var()) {
      op->dst = dst.var();
      names_.release(v.name);
      // Kept, so that a handle somebody held after all is an unwritten tile and not another value.
      program_[value.var()].name += "_assigned";
      return;
    }
  }
  ir::Op copy;
  copy.kind = ir::OpKind::Copy;
  copy.dst = dst.var();
  copy.args = {value.var()};
  copy.place = here.place();
  append({std::move(copy)});
}

// ---- loops, branches, scopes -------------------------------------------------------------------

LoopRange Builder::loop(ir::For f, Here here) {
  f.place = here.place();
  return {this, std::move(f)};
}

namespace {

ir::For make_loop(ir::LoopKind kind, const Index& start, const Index& stop, int64_t step) {
  ir::For f;
  f.kind = kind;
  f.start = start.expr();
  f.stop = stop.expr();
  f.step = step;
  return f;
}

}  // namespace

LoopRange Builder::range(Index start, Index stop, int64_t step, RangeOptions o, Here here) {
  ir::For f = make_loop(ir::LoopKind::Range, start, stop, step);
  f.chunk = o.chunk;
  f.policy = o.policy;
  return loop(std::move(f), here);
}

LoopRange Builder::parallel(Index start, Index stop, int64_t step, ParallelOptions o, Here here) {
  ir::For f = make_loop(ir::LoopKind::Parallel, start, stop, step);
  f.chunk = o.chunk;
  f.policy = o.policy;
  return loop(std::move(f), here);
}

LoopRange Builder::unroll(int64_t start, int64_t stop, int64_t step, Here here) {
  return loop(make_loop(ir::LoopKind::Unroll, start, stop, step), here);
}

LoopRange Builder::pipeline(Index start, Index stop, int64_t step, PipelineOptions o, Here here) {
  ir::For f = make_loop(ir::LoopKind::Pipeline, start, stop, step);
  f.stages = o.stages;
  return loop(std::move(f), here);
}

LoopRange Builder::spmd(Index blocks, SpmdOptions o, Here here) {
  ir::For f = make_loop(ir::LoopKind::Spmd, 0, blocks, 1);
  f.name = o.name;
  f.sync_start = o.sync_start;
  return loop(std::move(f), here);
}

LoopRange::Iterator LoopRange::begin() {
  ir::Var v;
  v.name = builder_->names_.take(name_);
  v.written = name_;
  v.scalar = true;
  v.dtype = DType::Index;
  v.place = loop_.place;
  loop_.var = builder_->new_var(std::move(v));
  const Index index(ir::Expr::var(loop_.var));
  builder_->open({loop_});
  open_ = true;
  return {this, index};
}

LoopRange::Iterator& LoopRange::Iterator::operator++() {
  range_->builder_->close();
  range_->open_ = false;
  done_ = true;
  return *this;
}

LoopRange::~LoopRange() {
  if (!open_) return;
  // The C++ body was left by break, return or an exception.
  if (std::uncaught_exceptions() == 0)
    builder_->report("cpp-break", "a C++ break or return left a tile loop",
                     "the body of a tile loop is traced once; leaving it early would drop ops",
                     "use p.break_loop() for a break in the program, or an if around the rest",
                     Here(loop_.place.file.c_str(), loop_.place.line));
  builder_->close();
}

BlockGuard::~BlockGuard() { builder_->close(); }

BlockGuard Builder::loop_while(const Condition& condition, Here here) {
  open({ir::While{condition.cond(), {}, here.place()}});
  return BlockGuard(this);
}

void Builder::break_loop(Here here) { append({ir::Break{here.place()}}); }
void Builder::continue_loop(Here here) { append({ir::Continue{here.place()}}); }

BlockGuard Builder::when(const Condition& condition, Here here) {
  open({ir::If{condition.cond(), {}, {}, here.place()}});
  return BlockGuard(this);
}

BlockGuard Builder::otherwise(Here here) {
  auto& body = frames_.back().body;
  if (body.empty() || !body.back().as<ir::If>() || !body.back().as<ir::If>()->else_body.empty()) {
    report("else", "otherwise() without a when() directly before it",
           "an else branch must directly follow its if branch",
           "put otherwise() right after the block of when()", here);
    open({ir::If{{}, {}, {}, here.place()}});
    return BlockGuard(this);
  }
  open({ir::If{}});
  frames_.back().is_else = true;
  return BlockGuard(this);
}

BlockGuard Builder::open_scope(ir::Scope s, Here here) {
  s.place = here.place();
  open({std::move(s)});
  return BlockGuard(this);
}

BlockGuard Builder::incore(std::string_view name, Here here) {
  return at(Level::CoreGroup, name, {}, here);
}

BlockGuard Builder::at(Level level, std::string_view name, AtOptions o, Here here) {
  ir::Scope s;
  s.level = level;
  s.name = name;
  s.split = o.split;
  return open_scope(std::move(s), here);
}

BlockGuard Builder::auto_incore(std::string_view name, AutoOptions o, Here here) {
  ir::Scope s;
  s.kind = ir::ScopeKind::Auto;
  s.name = name;
  s.split = o.split;
  return open_scope(std::move(s), here);
}

BlockGuard Builder::cluster(std::string_view name, Here here) {
  ir::Scope s;
  s.kind = ir::ScopeKind::Cluster;
  s.name = name;
  return open_scope(std::move(s), here);
}

// ---- scalars -----------------------------------------------------------------------------------

ir::VarId Builder::read_var(const Tensor& t, const Indices& index, bool want_float, Here here) {
  if (&t.builder() != this)
    user_error("foreign-tensor",
               fmt::format("read of a tensor that belongs to program {} in program {}",
                           t.builder().program().name, program_.name),
               fmt::format("at {}", here.place().text()),
               "all operands of an operation must belong to one program",
               "read it with the Builder that created it");
  const ir::Var& array = program_[t.var()];
  if (index.size() != array.shape.size())
    report("rank",
           fmt::format("read of one element of {} {} with {}", array.written_name(),
                       ir::type_text(array), counted(index.size(), "number")),
           "a scalar read has one index per dimension",
           fmt::format("give {}", counted(array.shape.size(), "number")), here);
  if (is_float(array.dtype) != want_float)
    report("read-dtype",
           fmt::format("read of {} {} as {}", array.written_name(), ir::type_text(array),
                       want_float ? "a float" : "an index"),
           "indices are read from integer tensors and float scalars from float tensors",
           want_float ? "use p.read" : "use p.read_float", here);
  ir::Var v;
  v.name = names_.take(fmt::format("{}_value", array.name));
  v.written = want_float ? "read_float(...)" : "read(...)";
  v.scalar = true;
  v.dtype = array.dtype;
  v.place = here.place();
  const ir::VarId id = new_var(std::move(v));
  ir::Read read{id, t.var(), {}, here.place()};
  for (const Index& i : index) read.index.push_back(i.expr());
  append({std::move(read)});
  return id;
}

Index Builder::read(const Tensor& t, const Indices& index, Here here) {
  return Index(ir::Expr::var(read_var(t, index, false, here)));
}

Scalar Builder::read_float(const Tensor& t, const Indices& index, Here here) {
  return Scalar(read_var(t, index, true, here));
}

Index Builder::let(std::string_view name, const Index& value, Here here) {
  ir::Var v;
  v.name = names_.take(name);
  v.written = name;
  v.scalar = true;
  v.dtype = DType::Index;
  v.place = here.place();
  const ir::VarId id = new_var(std::move(v));
  append({ir::Let{id, value.expr(), here.place()}});
  return Index(ir::Expr::var(id));
}

void Builder::set(const Index& variable, const Index& value, Here here) {
  const auto& e = variable.expr();
  if (e.terms().size() != 1 || e.constant() != 0 || e.terms()[0].coefficient != 1 ||
      !e.terms()[0].var.valid()) {
    report("set", "set() of a value that is not a scalar variable",
           "only a scalar created by let() can be changed", "create it with p.let first", here);
    return;
  }
  append({ir::Let{e.terms()[0].var, value.expr(), here.place()}});
}

int64_t Builder::exact_div(int64_t total, int64_t part, Here here) {
  if (part < 1 || total % part != 0) {
    report("exact-div",
           fmt::format("{} is not a multiple of {}{}", total, part,
                       part >= 1 ? fmt::format(": {} left over", total % part) : ""),
           "a block count must divide exactly; a remainder would be dropped silently",
           "choose a tile that divides the size, or use ceil_div with a valid shape", here);
    return part < 1 ? 1 : std::max<int64_t>(1, total / part);
  }
  return total / part;
}

// ---- the end -----------------------------------------------------------------------------------

ir::Program Builder::finish(Here here) {
  if (frames_.size() != 1) {
    report("unclosed", fmt::format("finish() inside {}", counted(frames_.size() - 1, "open block")),
           "every loop, branch and scope must be closed before finish()",
           "call finish() after the last closing brace", here);
    while (frames_.size() > 1) close();
  }
  if (program_.params.empty())
    report("no-params", fmt::format("program {} has no parameters", quote(program_.name)),
           "a program needs at least one parameter", "declare inputs and outputs first", here);
  program_.body = std::move(frames_.back().body);
  frames_.back().body.clear();
  finished_ = true;
  return program_;  // a copy: handles that are still held stay readable
}

// ---- tensor handles ----------------------------------------------------------------------------

const Shape& Tensor::shape() const { return builder_->program()[var_].shape; }
DType Tensor::dtype() const { return builder_->program()[var_].dtype; }
const Tensor& Tensor::named(std::string_view name) const {
  builder_->rename(var_, name);
  return *this;
}

}  // namespace tilewright::dsl
