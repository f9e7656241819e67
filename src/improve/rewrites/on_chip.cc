#include "tilewright/improve/rewrites/on_chip.h"

#include <algorithm>
#include <utility>

#include "tilewright/improve/rewrites/array_uses.h"
#include "tilewright/improve/rewrites/join.h"
#include "tilewright/improve/rewrites/windows.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

constexpr int64_t kLargestTile = 192 * 1024;  // bytes; the checker knows the machine's limits

int join_loops_in(Program& p, Block& block) {
  int joined = 0;
  for (std::size_t i = 0; i < block.size(); ++i)
    for (std::size_t j = i + 1; j < block.size(); ++j) {
      if (!block[i].as<For>() || !block[j].as<For>()) continue;
      const auto at = join_loops(p, block, i, j);
      if (!at) continue;
      ++joined;
      i = *at;
      j = i;
    }
  for (Stmt& s : block) for_each_body(s, [&](Block& body) { joined += join_loops_in(p, body); });
  return joined;
}

// The innermost block inside `block` that has every use of the array.
Block& home_of(Block& block, VarId v) {
  for (Stmt& s : block) {
    const UseCount here = count_uses(s, v), all = count_uses(block, v);
    if (here.reads != all.reads || here.writes != all.writes) continue;
    Block* inner = nullptr;
    for_each_body(s, [&](Block& body) {
      const UseCount in_body = count_uses(body, v);
      if (in_body.reads == all.reads && in_body.writes == all.writes) inner = &body;
    });
    if (inner) return home_of(*inner, v);
  }
  return block;
}

// The tensor as a tile that is made in the block: only what the block touches of it.
bool make_tile(Program& p, Block& block, VarId tensor) {
  const auto windows = windows_of(block, tensor, p);
  const auto span = windows ? span_of(*windows) : std::nullopt;
  if (!span || bytes_of(p[tensor].dtype, element_count(span->extent)) > kLargestTile) return false;
  Var tile = p[tensor];
  tile.name = p.unique_name(tile.name + "_tile");
  tile.shape = span->extent;
  Op create;
  create.kind = OpKind::Create;
  create.dst = p.add_var(tile);
  create.place = place_of(block.front());
  for_each_op(block, [&](Op& op) {
    const bool read = reads_window(op) && op.args[0] == tensor;
    const bool write = writes_window(op) && op.dst == tensor;
    if (!read && !write) return;
    for (std::size_t d = 0; d < op.offset.size(); ++d)
      op.offset[d] = op.offset[d] - span->offset[d];
    (read ? op.args[0] : op.dst) = create.dst;
  });
  const auto first = std::ranges::find_if(block, [&](const Stmt& s) {
    const UseCount n = count_uses(s, create.dst);
    return n.reads + n.writes > 0;
  });
  block.insert(first, Stmt{create});
  return true;
}

}  // namespace

int join_inner_loops(Program& p, Scope& scope) { return join_loops_in(p, scope.body); }

int keep_tensors_on_chip(Program& p, Scope& scope) {
  int kept = 0;
  std::vector<VarId> made;  // by the orchestration, without a first value
  const auto collect = [&](auto&& self, const Block& block) -> void {
    for (const Stmt& s : block) {
      if (s.as<Scope>()) continue;
      const Op* op = s.as<Op>();
      if (op && op->kind == OpKind::Create && !op->scalar) made.push_back(op->dst);
      for_each_body(s, [&](const Block& body) { self(self, body); });
    }
  };
  collect(collect, p.body);
  for (VarId v : made) {
    const UseCount all = count_uses(p.body, v), here = count_uses(scope.body, v);
    if (here.writes == 0 || here.reads == 0) continue;
    if (all.reads != here.reads || all.writes != here.writes + 1 || p[v].window) continue;
    kept += make_tile(p, home_of(scope.body, v), v);
  }
  return kept;
}

Tightened tighten(Program& p, Scope& scope) {
  constexpr int kMostRounds = 8;
  Tightened out;
  for (int i = 0; i < kMostRounds; ++i) {
    const int joined = join_inner_loops(p, scope);
    const int forwarded = forward_tiles(p, scope);
    const int shared = share_equal_loads(p, scope);
    if (joined + forwarded + shared == 0) break;
    out.loops += joined;
    out.forwarded += forwarded;
    out.shared += shared;
  }
  return out;
}

Scope* marked_scope(Program& p) {
  Scope* found = nullptr;
  for_each_stmt(p.body, [&](Stmt& s) {
    if (Scope* scope = s.as<Scope>(); scope && scope->name == kMark) found = scope;
  });
  return found;
}

Tightened keep_on_chip(Program& p, Scope& scope) {
  std::string name = std::exchange(scope.name, kMark);
  Tightened out = tighten(p, scope);
  remove_unused(p);
  if (Scope* s = marked_scope(p)) out.kept = keep_tensors_on_chip(p, *s);
  if (out.kept > 0) {
    const Tightened more = tighten(p, *marked_scope(p));
    out.loops += more.loops;
    out.forwarded += more.forwarded;
    out.shared += more.shared;
    remove_unused(p);
  }
  if (Scope* s = marked_scope(p)) s->name = std::move(name);
  return out;
}

}  // namespace tilewright::improve
