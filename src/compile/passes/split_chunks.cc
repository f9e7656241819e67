#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "tilewright/compile/passes/passes.h"
#include "tilewright/compile/trips.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

bool is_chunked(const Stmt& s) {
  const auto* f = s.as<For>();
  return f && f->chunk > 0;
}

bool contains_chunked(const Stmt& s) {
  bool found = false;
  for_each_body(s, [&](const Block& body) {
    for_each_stmt(body, [&](const Stmt& inner) { found = found || is_chunked(inner); });
  });
  return found;
}

// A break or continue of a loop around the statement: it cannot move into a task.
bool jumps_out(const Stmt& s) {
  if (s.as<Break>() || s.as<Continue>()) return true;
  const auto* c = s.as<If>();
  return c && (std::ranges::any_of(c->then_body, jumps_out) || std::ranges::any_of(c->else_body, jumps_out));
}

using UseCounts = std::unordered_map<uint32_t, int>;  // of variables

class AutoScopeSplitter {
 public:
  AutoScopeSplitter(Program& program, const Scope& scope, const UseCounts& uses)
      : p_(program), scope_(scope), uses_(uses) {
    for_each_stmt(scope.body, [&](const Stmt& s) {
      if (const VarId v = scalar_defined(s); v.valid()) ++scalar_writes_[v.value];
      for_each_array_use(s, [&](VarId v, bool write) {
        if (write) made_inside_.insert(v.value);
      });
      if (const auto* op = s.as<Op>(); op && !updates_in_place(op->kind))
        ++definitions_[op->dst.value];
    });
    for (const Param& param : p_.params) made_inside_.erase(param.var.value);
  }

  Block run() {
    Block out;
    split(scope_.body, out);
    return out;
  }

 private:
  Stmt make_scope(Block body, const Place& place) {
    Scope s;
    s.name = scope_.name.empty() ? "" : fmt::format("{}_{}", scope_.name, parts_);
    ++parts_;
    s.split = scope_.split;
    s.level = scope_.level;
    s.order = scope_.order;
    s.order.joins = true;
    s.body = std::move(body);
    s.place = place;
    return {std::move(s)};
  }

  // A scalar statement can leave the run if nothing on the device makes what it reads.
  bool is_orchestrator_scalar(const Stmt& s) const {
    const VarId v = scalar_defined(s);
    if (!v.valid() || s.as<For>() || scalar_writes_.at(v.value) > 1) return false;
    if (const auto* read = s.as<Read>(); read && made_inside_.contains(read->array.value)) return false;
    bool known = true;
    for_each_scalar_use(s, [&](VarId used) { known = known && !device_scalars_.contains(used.value); });
    return known;
  }

  // The orchestrator can make an empty array, and a part or another shape of an array in GM: one
  // that no statement of this scope makes.
  bool needs_no_core(const Op& op) const {
    if (op.kind == OpKind::Create) return true;
    return (op.kind == OpKind::Slice || op.kind == OpKind::Reshape) &&
           !definitions_.contains(op.args[0].value) && definitions_.at(op.dst.value) == 1;
  }

  // Arrays of this block that need no core and that more than one resulting task touches.
  std::unordered_set<uint32_t> shared_by_tasks(const Block& block) const {
    std::unordered_map<uint32_t, std::unordered_set<int>> runs;
    std::unordered_set<uint32_t> made;
    int run = 0;
    for (const Stmt& s : block) {
      const bool boundary = is_chunked(s) || contains_chunked(s) || jumps_out(s);
      run += boundary;
      const auto touch = [&](const Stmt& inner) {
        for_each_array_use(inner, [&](VarId v, bool) { runs[v.value].insert(run); });
      };
      if (const auto* op = s.as<Op>(); op && needs_no_core(*op)) {
        made.insert(op->dst.value);
        continue;
      }
      touch(s);
      for_each_body(s, [&](const Block& body) { for_each_stmt(body, touch); });
      if (boundary) {
        // A chunked loop is many tasks: whatever it touches from outside is shared.
        for_each_body(s, [&](const Block& body) {
          for_each_stmt(body, [&](const Stmt& inner) {
            for_each_array_use(inner, [&](VarId v, bool) { runs[v.value].insert(-run); });
          });
        });
        ++run;
      }
    }
    std::unordered_set<uint32_t> shared;
    for (uint32_t v : made)
      if (runs[v].size() > 1 || used_elsewhere(v, block)) shared.insert(v);
    return shared;
  }

  // `uses_` counts the whole program, taken before any statement was moved.
  bool used_elsewhere(uint32_t var, const Block& block) const {
    int inside = 0;
    for_each_stmt(block, [&](const Stmt& s) {
      for_each_array_use(s, [&](VarId v, bool) { inside += v.value == var; });
    });
    return uses_.at(var) > inside;
  }

  void split(const Block& block, Block& out) {
    const auto shared = shared_by_tasks(block);
    Block run;
    const auto flush = [&] {
      if (run.empty()) return;
      const Place place = place_of(run.front());
      out.push_back(make_scope(std::move(run), place));
      run.clear();
    };
    for (const Stmt& s : block) {
      if (const auto* op = s.as<Op>(); op && needs_no_core(*op) && shared.contains(op->dst.value)) {
        out.push_back(s);
      } else if (is_orchestrator_scalar(s)) {
        out.push_back(s);
      } else if (is_chunked(s)) {
        flush();
        split_loop(*s.as<For>(), out);
      } else if (s.as<Break>() || s.as<Continue>()) {
        flush();
        out.push_back(s);
      } else if (contains_chunked(s) || jumps_out(s)) {
        flush();
        Stmt copy = s;
        if (auto* f = copy.as<For>(); f && f->kind == LoopKind::Pipeline) f->kind = LoopKind::Range;
        for_each_body(copy, [&](Block& body) {
          Block inner;
          split(body, inner);
          body = std::move(inner);
        });
        out.push_back(std::move(copy));
      } else {
        if (const VarId v = scalar_defined(s); v.valid() && !s.as<For>()) device_scalars_.insert(v.value);
        run.push_back(s);
      }
    }
    flush();
  }

  VarId chunk_var(const For& f) {
    Var v = p_[f.var];
    v.written = v.written_name() + " (chunk)";
    v.name = p_.unique_name(v.name + "_chunk");
    return p_.add_var(std::move(v));
  }

  // Iterations [chunk * C, min((chunk + 1) * C, T)) of the loop, as an in-core loop.
  static For inner_loop(const For& f, const Expr& first, const Expr& end) {
    For inner = f;
    inner.kind = LoopKind::Range;
    inner.chunk = 0;
    inner.start = f.start + first * Expr(f.step);
    inner.stop = end;
    return inner;
  }

  Expr chunk_end(const For& f, const Expr& chunk, bool clamp) const {
    const Expr end = f.start + (chunk + Expr(1)) * Expr(f.chunk * f.step);
    if (!clamp) return end;
    return f.step > 0 ? min(end, f.stop) : max(end, f.stop);
  }

  void split_loop(const For& f, Block& out) {
    const Expr trips = trip_count(f);
    const bool exact = trips.is_constant() && trips.constant() % f.chunk == 0;
    if (f.policy == ChunkPolicy::LeadingFull && !exact) {
      leading_full(f, trips, out);
      return;
    }
    For outer = f;
    outer.var = chunk_var(f);
    outer.kind = f.kind == LoopKind::Parallel ? LoopKind::Parallel : LoopKind::Range;
    outer.chunk = 0;
    outer.start = 0;
    outer.step = 1;
    outer.stop = floor_div(trips + Expr(f.chunk - 1), Expr(f.chunk));
    const Expr chunk = Expr::var(outer.var);
    outer.body = {chunk_body(f, chunk * Expr(f.chunk), chunk_end(f, chunk, !exact))};
    out.push_back({std::move(outer)});
  }

  // A kernel for full chunks and another for the rest.
  void leading_full(const For& f, const Expr& trips, Block& out) {
    const Expr full = floor_div(trips, Expr(f.chunk));
    For outer = f;
    outer.var = chunk_var(f);
    outer.kind = f.kind == LoopKind::Parallel ? LoopKind::Parallel : LoopKind::Range;
    outer.chunk = 0;
    outer.start = 0;
    outer.step = 1;
    outer.stop = full;
    const Expr chunk = Expr::var(outer.var);
    outer.body = {chunk_body(f, chunk * Expr(f.chunk), chunk_end(f, chunk, false))};
    if (!full.is_constant() || full.constant() > 0) out.push_back({std::move(outer)});
    If rest;
    rest.place = f.place;
    rest.condition = {Cond::Kind::Compare, Compare::Gt, trips - full * Expr(f.chunk), Expr(0), {}};
    rest.then_body = {chunk_body(f, full * Expr(f.chunk), f.stop)};
    out.push_back({std::move(rest)});
  }

  // A perfect nest of chunked loops is interchanged: both chunk loops outside, both inside loops in
  // one task. Anything else is one task per chunk of the outer loop.
  Stmt chunk_body(const For& f, const Expr& first, const Expr& end) {
    For inner = inner_loop(f, first, end);
    if (inner.body.size() == 1 && is_chunked(inner.body[0])) {
      const For nested = *inner.body[0].as<For>();
      const Expr trips = trip_count(nested);
      const bool independent = [&] {
        bool uses = false;
        for_each_scalar_use(inner.body[0], [&](VarId v) { uses = uses || v == f.var; });
        return !uses;
      }();
      if (independent && nested.policy == ChunkPolicy::Guarded) {
        For outer = nested;
        outer.var = chunk_var(nested);
        outer.kind = nested.kind == LoopKind::Parallel ? LoopKind::Parallel : LoopKind::Range;
        outer.chunk = 0;
        outer.start = 0;
        outer.step = 1;
        outer.stop = floor_div(trips + Expr(nested.chunk - 1), Expr(nested.chunk));
        const Expr chunk = Expr::var(outer.var);
        For innermost = inner_loop(nested, chunk * Expr(nested.chunk), chunk_end(nested, chunk, true));
        strip_chunks(innermost.body);
        inner.body = {{std::move(innermost)}};
        outer.body = {make_scope({{std::move(inner)}}, f.place)};
        return {std::move(outer)};
      }
    }
    strip_chunks(inner.body);
    return make_scope({{std::move(inner)}}, f.place);
  }

  static void strip_chunks(Block& body) {
    for_each_stmt(body, [](Stmt& s) {
      if (auto* f = s.as<For>()) f->chunk = 0;
    });
  }

  Program& p_;
  const Scope& scope_;
  const UseCounts& uses_;
  int parts_ = 0;
  std::unordered_map<uint32_t, int> scalar_writes_;
  std::unordered_set<uint32_t> made_inside_;  // written by a statement of the scope
  UseCounts definitions_;                     // how many statements make an array as a whole
  std::unordered_set<uint32_t> device_scalars_;
};

void flatten(Block& block, Program& program, const UseCounts& uses) {
  Block out;
  for (Stmt& s : block) {
    if (auto* scope = s.as<Scope>()) {
      if (scope->kind == ScopeKind::Auto) {
        // Each part is a task, and the name of the scope stands for all of them.
        if (scope->order.task.valid()) out.push_back({TaskSet{{scope->order.task}, {}, scope->place}});
        for (Stmt& part : AutoScopeSplitter(program, *scope, uses).run()) out.push_back(std::move(part));
        continue;
      }
      scope->kind = ScopeKind::InCore;
    } else if (auto* f = s.as<For>(); f && f->kind == LoopKind::Spmd) {
      const bool is_call = f->body.size() == 1 && f->body[0].as<Scope>();
      if (!is_call) {
        Scope implicit;
        implicit.name = f->name;
        implicit.place = f->place;
        implicit.body = std::move(f->body);
        f->body.clear();
        f->body.push_back({std::move(implicit)});
      }
    } else {
      for_each_body(s, [&](Block& body) { flatten(body, program, uses); });
    }
    out.push_back(std::move(s));
  }
  block = std::move(out);
}

}  // namespace

void split_chunks(Plan& plan, PassContext&) {
  UseCounts uses;
  for_each_stmt(plan.program.body, [&](const Stmt& s) {
    for_each_array_use(s, [&](VarId v, bool) { ++uses[v.value]; });
  });
  flatten(plan.program.body, plan.program, uses);
}

}  // namespace tilewright::compile
