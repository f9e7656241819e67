// Products that load the same left tiles in loops of their own: one loop, one load, both products.
#include <fmt/format.h>

#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/join_stages.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

constexpr const char* kOneLoop = "one loop for both: load once, multiply by both weights";

// Two loops of one scope.
void share_inside_scopes(const Program& p, Rewrites& out) {
  std::vector<const Scope*> scopes;
  for_each_stmt(p.body, [&](const Stmt& s) {
    if (const Scope* scope = s.as<Scope>()) scopes.push_back(scope);
  });
  for (std::size_t n = 0; n < scopes.size(); ++n) {
    Program changed = p;
    std::size_t i = 0;
    Scope* scope = nullptr;
    for_each_stmt(changed.body, [&](Stmt& s) {
      if (Scope* other = s.as<Scope>(); other && i++ == n) scope = other;
    });
    const Tightened saved = tighten(changed, *scope);
    if (saved.loops == 0 || saved.shared == 0) continue;
    remove_unused(changed);
    out.push_back({"shared-loads",
                   fmt::format("{} loads the same tiles in two loops", scopes[n]->name),
                   at(scopes[n]->place, scopes[n]->name), kOneLoop, std::move(changed)});
  }
}

}  // namespace

void share_loads(const Subject& s, Rewrites& out) {
  for_each_join(s.program, [&](JoinedStages joined) {
    if (joined.saved.shared == 0 || joined.saved.stays_on_chip() > 0) return;
    const StageScope& last = joined.scopes.back();
    out.push_back(
        {"shared-loads",
         fmt::format("{} and {} load the same tiles", joined.scopes.front().name, last.name),
         at(last.place, last.name), kOneLoop, joined.named()});
  });
  share_inside_scopes(s.program, out);
}

}  // namespace tilewright::improve
