// Products that load the same left tiles in loops of their own: one loop, one load, both products.
#include <fmt/format.h>

#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/join_stages.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

constexpr const char* kOneLoop = "one loop for both: load once, use it twice";

}  // namespace

void share_loads(const Subject& s, Rewrites& out) {
  for_each_join(s.program, [&](JoinedStages joined) {
    if (joined.saved.shared == 0 || joined.saved.stays_on_chip() > 0) return;
    const StageScope first = as_kernel(s, joined.scopes.front());
    const StageScope last = as_kernel(s, joined.scopes.back());
    out.push_back({"shared-loads",
                   fmt::format("{} and {} load the same tiles", first.name, last.name),
                   Where{last.place, last.name}, kOneLoop, joined.named()});
  });
  for_each_tightened(s.program, [&](TightenedScope one) {
    if (one.saved.loops == 0 || one.saved.shared == 0 || one.saved.forwarded > 0) return;
    one.scope = as_kernel(s, one.scope);
    out.push_back({"shared-loads",
                   fmt::format("{} loads the same tiles in two loops", one.scope.name),
                   Where{one.scope.place, one.scope.name}, kOneLoop, std::move(one.program)});
  });
}

}  // namespace tilewright::improve
