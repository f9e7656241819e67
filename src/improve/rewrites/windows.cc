#include "tilewright/improve/rewrites/windows.h"

#include <algorithm>
#include <cstdlib>

#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

bool reads_window(const Op& op) {
  return (op.kind == OpKind::Slice || op.kind == OpKind::Load) && !op.args.empty() && !op.transpose;
}

bool writes_window(const Op& op) {
  return (op.kind == OpKind::Assemble || op.kind == OpKind::Store) && op.args.size() == 1 &&
         !op.atomic_add;
}

Window window_of(const Op& op, const Program& p) {
  const bool write = writes_window(op);
  return {write ? op.dst : op.args[0], op.offset, p[write ? op.args[0] : op.dst].shape, write};
}

std::optional<Linear> linear_in(const Expr& e, VarId var) {
  Linear out;
  for (const Term& t : e.terms())
    if (t.var.valid() && t.var == var) out.coefficient = t.coefficient;
  out.rest = e - Expr(out.coefficient) * Expr::var(var);
  if (depends_on(out.rest, var)) return std::nullopt;
  return out;
}

namespace {

// In dimension d the windows of one iteration lie within what the iteration advances by.
bool apart_in(const std::vector<Window>& windows, std::size_t d, VarId var, int64_t step) {
  std::optional<Linear> first;
  int64_t low = 0, high = 0;
  for (const Window& w : windows) {
    if (d >= w.offset.size() || d >= w.extent.size()) return false;
    const auto place = linear_in(w.offset[d], var);
    if (!place || place->coefficient == 0) return false;
    if (!first) first = place;
    const Expr distance = place->rest - first->rest;
    if (place->coefficient != first->coefficient || !distance.is_constant()) return false;
    low = std::min(low, distance.constant());
    high = std::max(high, distance.constant() + w.extent[d]);
  }
  return first && high - low <= std::abs(first->coefficient * step);
}

}  // namespace

bool apart_by(const std::vector<Window>& windows, VarId var, int64_t step) {
  if (windows.empty()) return true;
  for (std::size_t d = 0; d < windows.front().offset.size(); ++d)
    if (apart_in(windows, d, var, step)) return true;
  return false;
}

std::optional<Window> span_of(const std::vector<Window>& windows) {
  if (windows.empty()) return std::nullopt;
  Window out = windows.front();
  for (std::size_t d = 0; d < out.offset.size(); ++d) {
    const Expr base = windows.front().offset[d];
    int64_t low = 0, high = out.extent[d];
    for (const Window& w : windows) {
      if (w.offset.size() != out.offset.size() || w.extent.size() != out.extent.size())
        return std::nullopt;
      const Expr distance = w.offset[d] - base;
      if (!distance.is_constant()) return std::nullopt;
      low = std::min(low, distance.constant());
      high = std::max(high, distance.constant() + w.extent[d]);
    }
    out.offset[d] = base + Expr(low);
    out.extent[d] = high - low;
  }
  return out;
}

std::optional<std::vector<Window>> windows_of(const Block& block, VarId tensor, const Program& p) {
  std::vector<Window> out;
  bool other = false;
  for_each_stmt(block, [&](const Stmt& s) {
    const Op* op = s.as<Op>();
    const bool reads = op && reads_window(*op) && op->args[0] == tensor;
    const bool writes = op && writes_window(*op) && op->dst == tensor && op->args[0] != tensor;
    if (reads || writes) out.push_back(window_of(*op, p));
    for_each_array_use(s, [&](VarId v, bool write) {
      if (v == tensor && !(write ? writes : reads)) other = true;
    });
  });
  if (other) return std::nullopt;
  return out;
}

}  // namespace tilewright::improve
