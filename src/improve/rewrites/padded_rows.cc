// Padding rows of products: the left operand is padded to a full tile, and its padding rows are
// multiplied and stored but never read. A valid shape removes them from every transfer. The checker
// proves that no output needs them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/fill_scopes.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/improve/rewrites/tile_dims.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

int64_t rows_of(const Var& v) { return v.shape.size() < 2 ? 1 : v.shape[v.shape.size() - 2]; }

// The rows that a window reads, as far as that is known.
int64_t rows_read(const Program& p, const Op& load) {
  const Var& tile = p[load.dst];
  if (load.valid.size() < 2) return rows_of(tile);
  const Expr& valid = load.valid[load.valid.size() - 2];
  return valid.is_constant() ? valid.constant() : rows_of(tile);
}

struct ProductUse {
  std::vector<VarId> lefts;
  std::vector<VarId> stored_to;
  bool plain = true;  // nothing but sums and stores
  Place place;
};

// Products by the tile that they are summed in.
std::map<VarId, ProductUse> products_of(const Block& body) {
  std::map<VarId, ProductUse> out;
  for_each_op(body, [&](const Op& op) {
    if (op.kind != OpKind::Matmul && op.kind != OpKind::MatmulAcc) return;
    ProductUse& use = out[op.dst];
    use.lefts.push_back(op.args[0]);
    use.plain = use.plain && !op.a_trans;
    use.place = op.place;
  });
  for_each_op(body, [&](const Op& op) {
    for (VarId v : op.args) {
      const auto it = out.find(v);
      if (it == out.end()) continue;
      if (op_info(op.kind).type == TypeRule::Insert && !op.atomic_add)
        it->second.stored_to.push_back(op.dst);
      else
        it->second.plain = false;
    }
  });
  return out;
}

// The largest number of rows that any load of these tensors reads.
int64_t most_rows_read(const Program& p, const std::vector<VarId>& tensors) {
  int64_t most = 0;
  for_each_stmt(p.body, [&](const Stmt& s) {
    const Op* op = s.as<Op>();
    const bool load = op && op_info(op->kind).type == TypeRule::Window;
    for_each_array_use(s, [&](VarId v, bool write) {
      if (write || std::ranges::find(tensors, v) == tensors.end()) return;
      if (!(op && op->dst == v)) most = std::max(most, load ? rows_read(p, *op) : INT64_MAX);
    });
  });
  const bool parameter = std::ranges::any_of(tensors, [&](VarId v) { return p.param_of(v); });
  return parameter ? INT64_MAX : most;
}

// States the valid rows of every left operand; false if one is no plain window, or all are stated
// already. `sources` are the tensors they are loaded from.
bool limit_rows(Program& p, const std::vector<VarId>& lefts, int64_t rows,
                std::vector<VarId>& sources) {
  bool limited = false;  // by less than before
  for (VarId left : lefts) {
    std::vector<Op*> writers;
    for_each_op(p.body, [&](Op& op) {
      if (op.dst == left) writers.push_back(&op);
    });
    if (writers.size() != 1 || p[left].shape.size() != 2) return false;
    Op& load = *writers.front();
    if (op_info(load.kind).type != TypeRule::Window || load.transpose) return false;
    if (load.valid.empty()) load.valid = {Expr(p[left].shape[0]), Expr(p[left].shape[1])};
    limited = limited || !(load.valid[0] == Expr(rows));
    load.valid[0] = Expr(rows);
    sources.push_back(load.args[0]);
  }
  return limited;
}

}  // namespace

void limit_padded_rows(const Subject& s, Rewrites& out) {
  for_each_stmt(s.program.body, [&](const Stmt& stmt) {
    const Scope* scope = stmt.as<Scope>();
    if (!scope) return;
    for (const auto& [tile, use] : products_of(scope->body)) {
      if (!use.plain || use.stored_to.empty()) continue;
      const int64_t all = rows_of(s.program[tile]), read = most_rows_read(s.program, use.stored_to);
      if (read <= 0 || read >= all) continue;
      std::vector<VarId> sources;
      Program limited = s.program;
      if (!limit_rows(limited, use.lefts, read, sources)) continue;
      const Where where{use.place, scope->name};
      const auto propose = [&](Program&& changed, const char* also) {
        out.push_back(
            {"padded-rows",
             fmt::format("products of {} rows are stored, {} of them are read", all, read), where,
             fmt::format("a valid shape of {} rows for the left operand{}", read, also),
             std::move(changed)});
      };
      Program cleared = limited;
      bool fills = false;
      for (VarId source : sources) fills = remove_fills_of(cleared, source) || fills;
      propose(std::move(limited), "");
      if (fills) propose(std::move(cleared), ", and remove the task that clears its padding");
    }
  });
}

}  // namespace tilewright::improve
