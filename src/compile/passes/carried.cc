#include "tilewright/compile/passes/carried.h"

#include <algorithm>

#include "tilewright/compile/trips.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

Carried::Carried(const Block& body) {
  Effect whole;
  run(body, whole);
  needs_ = std::move(whole.needs);
}

void Carried::run(const Block& block, Effect& effect) {
  const auto read = [&](VarId v) {
    if (!effect.writes.contains(v)) effect.needs.insert(v);
  };
  for (const Stmt& s : block) {
    if (const auto* op = s.as<Op>()) {
      for (VarId v : op->args) read(v);
      // A window is written, the rest is kept.
      if (updates_in_place(op->kind)) read(op->dst);
      effect.writes.insert(op->dst);
    } else if (const auto* scalar = s.as<Read>()) {
      read(scalar->array);
    } else if (const auto* call = s.as<ExternalCall>()) {
      for (const ExternalCall::Array& a : call->arrays)
        if (a.reads()) read(a.var);
      for (const ExternalCall::Array& a : call->arrays)
        if (a.writes()) effect.writes.insert(a.var);
    } else if (const auto* f = s.as<For>()) {
      loop(s, f->body, compile::at_least_once(*f), effect);
    } else if (const auto* w = s.as<While>()) {
      loop(s, w->body, false, effect);
    } else if (const auto* c = s.as<If>()) {
      branch(*c, effect);
    } else if (const auto* scope = s.as<Scope>()) {
      run(scope->body, effect);
    }
  }
}

void Carried::loop(const Stmt& s, const Block& body, bool at_least_once, Effect& effect) {
  Effect trip;
  run(body, trip);
  std::set<VarId>& carried = by_loop_[&s];
  for_each_op(body, [&](const Op& op) {
    if (trip.needs.contains(op.dst)) carried.insert(op.dst);
  });
  all_.insert(carried.begin(), carried.end());
  std::ranges::set_difference(trip.needs, effect.writes,
                              std::inserter(effect.needs, effect.needs.end()));
  if (at_least_once && !leaves_early(body))
    effect.writes.insert(trip.writes.begin(), trip.writes.end());
}

void Carried::branch(const If& c, Effect& effect) {
  Effect other = effect;
  run(c.then_body, effect);
  run(c.else_body, other);
  effect.needs.insert(other.needs.begin(), other.needs.end());
  std::erase_if(effect.writes, [&](VarId v) { return !other.writes.contains(v); });
}

}  // namespace tilewright::compile
