#include "tilewright/improve/rewrites/single_trips.h"

#include <algorithm>
#include <vector>

#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

bool runs_once(const For& f) {
  if (!f.start.is_constant() || !f.stop.is_constant() || f.step == 0) return false;
  const Expr distance = f.step > 0 ? f.stop - f.start : f.start - f.stop;
  return distance.constant() > 0 && distance.constant() <= std::abs(f.step);
}

// Of this loop, not of one inside it.
bool jumps(const Block& body) {
  return std::ranges::any_of(body, [](const Stmt& s) {
    if (s.as<Break>() || s.as<Continue>()) return true;
    bool found = false;
    if (!s.as<For>() && !s.as<While>())
      for_each_body(s, [&](const Block& inner) { found = found || jumps(inner); });
    return found;
  });
}

// A launch, a chunked loop and a stated order mean more than their trips.
bool is_plain(const For& f) {
  return f.kind != LoopKind::Spmd && f.chunk == 0 && !f.order.says_something() && !jumps(f.body);
}

bool inline_in(Block& block, const std::vector<Place>& kept) {
  bool changed = false;
  for (std::size_t i = 0; i < block.size(); ++i) {
    for_each_body(block[i], [&](Block& body) { changed = inline_in(body, kept) || changed; });
    const For* f = block[i].as<For>();
    if (!f || !runs_once(*f) || !is_plain(*f) || std::ranges::find(kept, f->place) != kept.end())
      continue;
    Block body = f->body;
    substitute(body, [var = f->var, value = f->start](VarId v) {
      return v == var ? std::optional(value) : std::nullopt;
    });
    const auto at = block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    i += body.size();
    block.insert(at, std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    --i;  // at the last statement of the body; its loops have been looked at
    changed = true;
  }
  return changed;
}

}  // namespace

bool inline_single_trips(Program& program, const Program& original) {
  std::vector<Place> kept;
  for_each_stmt(original.body, [&](const Stmt& s) {
    if (const For* f = s.as<For>(); f && runs_once(*f)) kept.push_back(f->place);
  });
  return inline_in(program.body, kept);
}

}  // namespace tilewright::improve
