#include "tilewright/improve/rewrites/array_uses.h"

#include <algorithm>

#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

void add_uses(const Stmt& s, VarId v, UseCount& out) {
  for_each_array_use(s, [&](VarId u, bool write) {
    if (u == v) ++(write ? out.writes : out.reads);
  });
}

}  // namespace

UseCount count_uses(const Block& block, VarId v) { return count_uses_from(block, 0, v); }

UseCount count_uses(const Stmt& s, VarId v) {
  UseCount out;
  add_uses(s, v, out);
  for_each_body(s, [&](const Block& body) {
    for_each_stmt(body, [&](const Stmt& inner) { add_uses(inner, v, out); });
  });
  return out;
}

UseCount count_uses_from(const Block& block, std::size_t first, VarId v) {
  UseCount out;
  for (std::size_t i = first; i < block.size(); ++i) {
    const UseCount one = count_uses(block[i], v);
    out.reads += one.reads;
    out.writes += one.writes;
  }
  return out;
}

void rename_array(Block& block, VarId from, VarId to) {
  for_each_stmt(block, [&](Stmt& s) {
    if (auto* op = s.as<Op>()) {
      std::ranges::replace(op->args, from, to);
      if (op->dst == from) op->dst = to;
    } else if (auto* read = s.as<Read>()) {
      if (read->array == from) read->array = to;
    }
  });
}

bool may_rename(const Program& p, const Block& block, std::size_t at, VarId from, VarId to) {
  const UseCount all = count_uses(p.body, from);
  const UseCount here = count_uses_from(block, at + 1, from);
  return all.writes == 1 && here.writes == 0 && here.reads == all.reads &&
         count_uses_from(block, at + 1, to).writes == 0;
}

}  // namespace tilewright::improve
