#include "tilewright/improve/rewrites/block_sites.h"

#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

void collect_blocks(ir::Block& block, bool in_scope, std::vector<BlockSite>& out) {
  out.push_back({&block, in_scope});
  for (ir::Stmt& s : block) {
    const bool inside = in_scope || s.as<ir::Scope>();
    ir::for_each_body(s, [&](ir::Block& body) { collect_blocks(body, inside, out); });
  }
}

}  // namespace

std::vector<BlockSite> block_sites(ir::Program& p) {
  std::vector<BlockSite> out;
  collect_blocks(p.body, false, out);
  return out;
}

}  // namespace tilewright::improve
