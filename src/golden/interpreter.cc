#include "tilewright/golden/interpreter.h"

#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/golden/ops.h"
#include "tilewright/golden/trips.h"
#include "tilewright/ir/program.h"
#include "tilewright/ir/walk.h"

namespace tilewright::golden {

Site Interpreter::site(const Place& place, std::string_view what) const {
  return {&program_, scope_, &place, what};
}

// ---- who makes what ----------------------------------------------------------------------------

void Interpreter::find_births(const ir::Block& body, bool in_scope) {
  for (const ir::Stmt& s : body) {
    if (const auto* op = s.as<ir::Op>()) {
      Birth& birth = births_[op->dst.index()];
      if (!birth.op && !program_.param_of(op->dst)) birth = {op, in_scope};
    }
    const auto* loop = s.as<ir::For>();
    const bool opens = s.as<ir::Scope>() || (loop && loop->kind == ir::LoopKind::Spmd);
    ir::for_each_body(s, [&](const ir::Block& inner) { find_births(inner, in_scope || opens); });
  }
}

// Outside scopes slice and reshape make views. A slice assigned to a tensor that exists is a copy:
// a buffer stays where it is.
bool Interpreter::makes_view(const ir::Op& op) const {
  const auto view_kind = [](ir::OpKind k) {
    return k == ir::OpKind::Slice || k == ir::OpKind::Reshape;
  };
  const Birth birth = birth_of(op.dst);
  return !in_scope_ && view_kind(op.kind) && birth.op && !birth.in_scope &&
         view_kind(birth.op->kind);
}

// ---- statements --------------------------------------------------------------------------------

void Interpreter::run_orchestration(ir::TaskReads* record) {
  record_ = record;
  births_.assign(program_.vars.size(), {});
  find_births(program_.body, false);
  check(run(program_.body) == Flow::Next, "break or continue outside a loop");
}

void Interpreter::run_kernel(const ir::Block& body, std::string_view name) {
  check(run_scope(body, name) == Flow::Next, "break or continue outside a loop");
}

Interpreter::Flow Interpreter::run(const ir::Block& body) {
  for (const ir::Stmt& s : body)
    if (const Flow flow = run(s); flow != Flow::Next) return flow;
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const ir::Stmt& s) {
  struct Visitor {
    Interpreter& in;
    Flow operator()(const ir::Op& op) { return in.execute(op), Flow::Next; }
    Flow operator()(const ir::For& loop) { return in.run(loop); }
    Flow operator()(const ir::While& loop) { return in.run(loop); }
    Flow operator()(const ir::If& branch) {
      const bool taken = in.scalars_.truth(branch.condition, in.site(branch.place, "if"));
      return in.run(taken ? branch.then_body : branch.else_body);
    }
    Flow operator()(const ir::Scope& scope) {
      check(!scope.kernel.valid(), "a scope that has become a kernel call has no body to run");
      return in.run_scope(scope.body, scope.name);
    }
    Flow operator()(const ir::Let& let) {
      in.scalars_.set(let.var, in.scalars_.integer(let.value, in.site(let.place, "let")));
      return Flow::Next;
    }
    Flow operator()(const ir::Read& read) { return in.run(read), Flow::Next; }
    Flow operator()(const ir::Compute& compute) {
      in.scalars_.execute(compute, in.site(compute.place, "a scalar"));
      return Flow::Next;
    }
    Flow operator()(const ir::Signal& signal) {
      in.site(signal.place, "a signal")
          .fail("ranks", "a signal between ranks is executed",
                "only programs of one device can be executed; programs of several ranks can be "
                "checked",
                "check the program instead");
    }
    Flow operator()(const ir::ExternalCall& call) {
      in.site(call.place, "an external kernel")
          .fail("external", "an external kernel is executed",
                "only the signature of an external kernel is known", "check the program instead");
    }
    Flow operator()(const ir::TaskSet&) { return Flow::Next; }  // names of tasks are no data
    Flow operator()(const ir::Break&) { return Flow::Break; }
    Flow operator()(const ir::Continue&) { return Flow::Continue; }
  };
  return std::visit(Visitor{*this}, s.node);
}

// Bounds are fixed when the loop starts. Every kind of loop runs its trips in order here; the kinds
// differ in what they allow other executors to do.
Interpreter::Flow Interpreter::run(const ir::For& loop) {
  const Site here = site(loop.place, ir::loop_kind_name(loop.kind));
  const int64_t start = scalars_.integer(loop.start, here);
  const int64_t stop = scalars_.integer(loop.stop, here);
  if (loop.step == 0)
    here.fail("loop-step", fmt::format("{} from {} to {} by steps of 0", here.what, start, stop),
              "the step of a loop must not be 0", "use a positive or negative step");
  const bool implicit_scope = loop.kind == ir::LoopKind::Spmd && !in_scope_;
  for_each_trip(start, stop, loop.step, [&](int64_t i) {
    scalars_.set(loop.var, i);
    const Flow flow = implicit_scope ? run_scope(loop.body, loop.name) : run(loop.body);
    return flow != Flow::Break;
  });
  scalars_.forget(loop.var);
  return Flow::Next;
}

Interpreter::Flow Interpreter::run(const ir::While& loop) {
  while (scalars_.truth(loop.condition, site(loop.place, "while")))
    if (run(loop.body) == Flow::Break) break;
  return Flow::Next;
}

void Interpreter::run(const ir::Read& read) {
  const Site here = site(read.place, "read");
  const ScalarValue value =
      memory_.element(here, read.array, scalars_.integers(read.index, here));
  scalars_.set(read.var, value);
  if (record_)
    record_->record(read.place,
                    value.is_float ? value.real : static_cast<double>(value.integer));
}

Interpreter::Flow Interpreter::run_scope(const ir::Block& body, std::string_view name) {
  if (in_scope_) return run(body);  // an explicit scope as the body of an spmd loop
  ++scopes_;
  in_scope_ = true;
  scope_ = name;
  const Flow flow = run(body);
  memory_.settle();
  in_scope_ = false;
  scope_ = {};
  return flow;
}

// ---- operations --------------------------------------------------------------------------------

// A variable bound to GM is written where it is; one born by this op is new every time.
void Interpreter::finish(const Site& here, const ir::Op& op, Tile value) {
  const ir::Var& var = program_[op.dst];
  check(value.dtype == var.dtype && value.shape == var.shape, "result of another type");
  const bool is_new = in_scope_ && birth_of(op.dst).op == &op;
  if (!memory_.is_gm(op.dst) || is_new)
    memory_.bind(op.dst, std::move(value));
  else
    memory_.write(here, op.dst, Shape(var.shape.size(), 0), value, false);
}

void Interpreter::execute(const ir::Op& op) {
  Call c(program_, op, site(op.place, ir::op_name(op.kind)), memory_, scalars_, exp_);
  if (makes_view(op)) {
    const ir::VarId from = op.args.at(0);
    memory_.bind(op.dst,
                 op.kind == ir::OpKind::Slice
                     ? memory_.slice_view(c.site, from, c.offset(), c.dst().shape, c.valid())
                     : memory_.reshape_view(c.site, from, c.dst().shape));
    return;
  }
  if (op.kind == ir::OpKind::Create && !in_scope_) {
    GmView made = make_poisoned(c.dst().dtype, c.dst().shape);
    if (op.scalar) {
      const ScalarValue v = c.scalar();
      fill(*made.array, v.is_float ? v.real : static_cast<double>(v.integer));
    }
    return memory_.bind(op.dst, std::move(made));
  }
  if (ops::writes_window(op.kind)) return ops::write_window(c);
  finish(c.site, op, ops::compute(c));
}

}  // namespace tilewright::golden
