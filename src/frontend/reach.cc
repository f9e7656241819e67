#include "tilewright/frontend/reach.h"

#include <algorithm>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/walk.h"

namespace tilewright::frontend {

Reach::Reach(const ir::Program& program, std::set<ir::VarId> tensors)
    : p_(program), tensors_(std::move(tensors)) {
  std::set<ir::VarId> written;
  ir::for_each_stmt(p_.body, [&](const ir::Stmt& s) {
    if (const ir::VarId v = ir::scalar_defined(s); v.valid() && !written.insert(v).second)
      changing_.insert(v);
  });
  block(p_.body);
}

void Reach::block(const ir::Block& b) {
  for (const ir::Stmt& s : b) {
    try {
      statement(s);
    } catch (const UserError&) {  // does not fit in 64 bits; told where bounds are checked
    }
  }
}

void Reach::statement(const ir::Stmt& s) {
  if (const auto* op = s.as<ir::Op>()) operation(*op);
  if (const auto* let = s.as<ir::Let>(); let && !changing_.contains(let->var))
    values_.emplace(let->var, settled(let->value));
  if (const auto* scope = s.as<ir::Scope>()) block(scope->body);
  if (const auto* f = s.as<ir::For>()) loop(*f);
}

void Reach::loop(const ir::For& f) {
  bool leaves = changing_.contains(f.var);
  ir::for_each_stmt(f.body, [&](const ir::Stmt& s) { leaves = leaves || s.as<ir::Break>(); });
  if (leaves || f.step <= 0) return;
  if (!f.start.is_constant() || !f.stop.is_constant()) {
    const ir::Range start = range_of(f.start);
    const ir::Range stop = range_of(f.stop);
    if (start.high && stop.low && *start.high < *stop.low) block(f.body);  // at least one trip
    return;
  }
  const int64_t first = f.start.constant();
  if (first < 0 || first >= f.stop.constant()) return;
  const int64_t later_trips = (f.stop.constant() - first - 1) / f.step;
  loops_[f.var] = {&f, {first, first + later_trips * f.step}};
  block(f.body);
}

void Reach::operation(const ir::Op& op) {
  const bool reads = op.kind == ir::OpKind::Slice || op.kind == ir::OpKind::Load;
  const bool writes = op.kind == ir::OpKind::Assemble || op.kind == ir::OpKind::Store;
  if (!reads && !writes) return;
  const ir::VarId array = reads ? op.args[0] : op.dst;
  if (!tensors_.contains(array)) return;
  // A tile may be valid in part, so that of some only the first element is certain.
  Shape extent = p_[reads ? op.dst : op.args[0]].shape;
  Shape certain = reads ? extent : Shape(extent.size(), 1);
  for (std::size_t i = 0; reads && i < op.valid.size(); ++i)
    certain[i] = op.valid[i].is_constant() ? op.valid[i].constant() : 1;
  if (op.transpose) {
    std::swap(extent[0], extent[1]);
    std::swap(certain[0], certain[1]);
  }
  const std::size_t dropped = p_[array].shape.size() - extent.size();
  for (std::size_t i = 0; i < p_[array].shape.size(); ++i)
    if (i < dropped)
      reaches(array, i, op.offset[i] + ir::Expr(1), 0);
    else
      reaches(array, i, op.offset[i] + ir::Expr(certain[i - dropped]),
              extent[i - dropped] - certain[i - dropped]);
}

void Reach::reaches(ir::VarId array, std::size_t dimension, const ir::Expr& end, int64_t more) {
  const ir::Expr last = settled(end);
  const auto known = [&](const ir::Term& t) { return t.var.valid() && loops_.contains(t.var); };
  if (!std::ranges::all_of(last.terms(), known)) return;
  const ir::Range range = range_of(last);
  const int64_t size = p_[array].shape[dimension];
  if (!range.high || *range.high <= size) return;
  Shape& shape = needed.try_emplace(array, p_[array].shape).first->second;
  shape[dimension] =
      std::max(shape[dimension], (ir::Expr(*range.high) + ir::Expr(more)).constant());
  ++outside;
  for (const ir::Term& t : last.terms()) shorten(*loops_.at(t.var).loop, t, *range.high - size);
}

void Reach::shorten(const ir::For& f, const ir::Term& term, int64_t excess) {
  if (term.coefficient <= 0 || f.step != 1 || !(f.start == ir::Expr(0))) return;
  const int64_t trips = f.stop.constant() - (1 + (excess - 1) / term.coefficient);
  if (trips < 1) return;
  Shorter& s = shorter.try_emplace(f.var, Shorter{&f, 0, trips}).first->second;
  ++s.helps;
  s.trips = std::min(s.trips, trips);
}

ir::Range Reach::range_of(const ir::Expr& e) const {
  return ir::bounds(settled(e), [&](ir::VarId v) {
    const auto it = loops_.find(v);
    return it == loops_.end() ? ir::Range{} : it->second.range;
  });
}

ir::Expr Reach::settled(const ir::Expr& e) const {
  return e.substituted([&](ir::VarId v) {
    const auto it = values_.find(v);
    return it == values_.end() ? std::nullopt : std::optional(it->second);
  });
}

}  // namespace tilewright::frontend
