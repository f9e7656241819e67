#include "tilewright/improve/rewrites/split_loop.h"

#include <algorithm>
#include <utility>

#include "tilewright/improve/rewrites/array_uses.h"
#include "tilewright/improve/rewrites/join.h"
#include "tilewright/improve/rewrites/windows.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

bool is_used(const Block& block, VarId v) {
  const UseCount n = count_uses(block, v);
  return n.reads + n.writes > 0;
}

// Whether a tensor of one iteration can be one of all, with columns for each.
bool can_widen(const Program& p, const Block& body, VarId tensor, const For& loop) {
  return loop.step == 1 && (loop.stop - loop.start).is_constant() && !p[tensor].shape.empty() &&
         windows_of(body, tensor, p);
}

void take_own_columns(const Program& p, Block& body, VarId tensor, const For& loop) {
  const std::size_t last = p[tensor].shape.size() - 1;
  const Expr first = (Expr::var(loop.var) - loop.start) * Expr(p[tensor].shape[last]);
  for_each_op(body, [&](Op& op) {
    if ((reads_window(op) && op.args[0] == tensor) || (writes_window(op) && op.dst == tensor))
      op.offset[last] = op.offset[last] + first;
  });
}

struct Halves {
  Block before, first, second;  // before: tensors that both need
};

// Tensors go where they are used; scalars that the second half needs are computed again.
std::optional<Halves> halves_of(Program& p, const For& loop, std::size_t cut) {
  Halves out;
  out.first.assign(loop.body.begin(), loop.body.begin() + static_cast<std::ptrdiff_t>(cut));
  out.second.assign(loop.body.begin() + static_cast<std::ptrdiff_t>(cut), loop.body.end());
  const Aliases aliases(p);
  Block again;
  for (std::size_t i = 0; i < out.first.size();) {
    const Op* op = out.first[i].as<Op>();
    const VarId scalar = scalar_defined(out.first[i]);
    const bool wanted =
        op ? is_used(out.second, op->dst)
           : scalar.valid() && effects_of(out.second, aliases).uses.contains(scalar);
    if (!wanted) {
      ++i;
      continue;
    }
    if (!op && (out.first[i].as<Let>() || out.first[i].as<Read>())) {
      again.push_back(out.first[i++]);
      continue;
    }
    if (!op || op->kind != OpKind::Create || op->scalar) return std::nullopt;
    const VarId tensor = op->dst;
    const Stmt create = out.first[i];
    out.first.erase(out.first.begin() + static_cast<std::ptrdiff_t>(i));
    if (!is_used(out.first, tensor)) {
      again.push_back(create);
      continue;
    }
    if (!can_widen(p, out.first, tensor, loop) || !can_widen(p, out.second, tensor, loop))
      return std::nullopt;
    take_own_columns(p, out.first, tensor, loop);
    take_own_columns(p, out.second, tensor, loop);
    p[tensor].shape.back() *= (loop.stop - loop.start).constant();
    out.before.push_back(create);
  }
  out.second.insert(out.second.begin(), again.begin(), again.end());
  return out;
}

// Whether iterations may run in any order: each writes what is its own.
bool is_parallel(const Program& p, const For& loop) {
  const Aliases aliases(p);
  for (VarId v : effects_of(loop.body, aliases).writes) {
    const UseCount all = count_uses(p.body, v), here = count_uses(loop.body, v);
    if (all.reads == here.reads && all.writes == here.writes) continue;
    const auto windows = windows_of(loop.body, v, p);
    if (!windows || windows->empty() || !apart_by(*windows, loop.var, loop.step)) return false;
  }
  return true;
}

}  // namespace

bool split_loop(Program& p, Block& block, std::size_t& at, std::size_t cut) {
  For loop = *block[at].as<For>();
  auto halves = halves_of(p, loop, cut);
  if (!halves) return false;
  if (!iterations_stay_apart(p, halves->first, halves->second, loop.var, loop.step, Aliases(p)))
    return false;
  For second = loop;
  Var counter = p[loop.var];
  counter.name = p.unique_name(counter.name);
  second.var = p.add_var(counter);
  second.body = std::move(halves->second);
  substitute(second.body, [&](VarId v) -> std::optional<Expr> {
    return v == loop.var ? std::optional(Expr::var(second.var)) : std::nullopt;
  });
  loop.body = std::move(halves->first);
  block[at] = Stmt{second};
  block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), Stmt{loop});
  block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), halves->before.begin(),
               halves->before.end());
  at += halves->before.size() + 1;
  For& first = *block[at - 1].as<For>();
  if (first.kind == LoopKind::Range && is_parallel(p, first)) first.kind = LoopKind::Parallel;
  return true;
}

Stmt* interchange(Program& p, Stmt& s) {
  For& outer = *s.as<For>();
  const auto with_scope = std::ranges::find_if(outer.body, [](const Stmt& x) {
    return x.as<Scope>() || (x.as<For>() && contains_scope(x.as<For>()->body));
  });
  if (with_scope == outer.body.end()) return nullptr;
  For* inner = with_scope->as<For>();
  if (!inner) return &s;
  if (inner->kind != LoopKind::Parallel || inner->chunk != 0 ||
      depends_on(inner->start, outer.var) || depends_on(inner->stop, outer.var))
    return nullptr;
  For parallel = std::move(*inner);
  outer.body.erase(with_scope);
  for (const Stmt& rest : outer.body)  // only what can be made in every iteration of the other loop
    if (!rest.as<Let>() && !(rest.as<Op>() && rest.as<Op>()->kind == OpKind::Create))
      return nullptr;
  For loop = std::move(outer);
  std::ranges::move(parallel.body, std::back_inserter(loop.body));
  parallel.body.clear();
  parallel.body.push_back({std::move(loop)});
  s = Stmt{std::move(parallel)};
  return interchange(p, s.as<For>()->body[0]);
}

}  // namespace tilewright::improve
