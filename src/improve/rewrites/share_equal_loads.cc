// Equal loads of one scope become one.
#include "tilewright/improve/rewrites/array_uses.h"
#include "tilewright/improve/rewrites/effects.h"
#include "tilewright/improve/rewrites/on_chip.h"
#include "tilewright/improve/rewrites/windows.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

bool load_the_same(const Op& a, const Op& b, const Program& p) {
  return a.kind == b.kind && reads_window(a) && reads_window(b) && a.args == b.args &&
         a.offset == b.offset && a.valid == b.valid && a.pad == b.pad && a.space == b.space &&
         p[a.dst].shape == p[b.dst].shape && p[a.dst].dtype == p[b.dst].dtype;
}

int share_in(Program& p, Block& block, const Aliases& aliases) {
  int shared = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Op* first = block[i].as<Op>();
    if (!first || !reads_window(*first)) continue;
    const VarId source = aliases.root(first->args[0]), tile = first->dst;
    for (std::size_t j = i + 1; j < block.size(); ++j) {
      const Effects e = effects_of(block[j], aliases);
      const Op* second = block[j].as<Op>();
      const VarId other = second ? second->dst : VarId();
      if (second && load_the_same(*first, *second, p) && other != tile &&
          may_rename(p, block, j, other, tile)) {
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(j--));
        rename_array(block, other, tile);
        first = block[i].as<Op>();
        ++shared;
      } else if (e.writes.contains(source) || e.writes.contains(tile)) {
        break;
      }
    }
  }
  for (Stmt& s : block)
    for_each_body(s, [&](Block& body) { shared += share_in(p, body, aliases); });
  return shared;
}

}  // namespace

int share_equal_loads(Program& p, Scope& scope) { return share_in(p, scope.body, Aliases(p)); }

}  // namespace tilewright::improve
