#include "tilewright/compile/ranks/happens_before.h"

#include <algorithm>

#include "tilewright/base/check.h"

namespace tilewright::compile {

using namespace ir;

HappensBefore::HappensBefore(const Timeline& timeline)
    : t_(timeline), preds_(timeline.preds()) {
  // A wait that is known to come after a notify tells which notifies come after it, and these say
  // more of other waits. Protocols settle in a few rounds.
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds; ++round) {
    close();
    if (!learn()) return;
  }
  close();
}

// The transitive closure, in an order in which every step follows its predecessors.
void HappensBefore::close() {
  const std::size_t n = preds_.size();
  before_.assign(n, Bits(n));
  std::vector<uint32_t> left(n);
  std::vector<std::vector<uint32_t>> succs(n);
  std::vector<uint32_t> ready;
  for (uint32_t s = 0; s < n; ++s) {
    left[s] = static_cast<uint32_t>(preds_[s].size());
    for (uint32_t p : preds_[s]) succs[p].push_back(s);
    if (left[s] == 0) ready.push_back(s);
  }
  std::size_t done = 0;
  for (; done < ready.size(); ++done) {
    const uint32_t s = ready[done];
    for (uint32_t p : preds_[s]) {
      before_[s].add(before_[p]);
      before_[s].set(p);
    }
    for (uint32_t next : succs[s])
      if (--left[next] == 0) ready.push_back(next);
  }
  check(done == n, "steps that wait for each other are told before their order is asked for");
}

// Whether the signal could not be what the wait expects without this notify: the most it can be
// then is what all others add that do not come after the wait or after the notify, less what was
// certainly taken away before.
bool HappensBefore::needs(uint32_t wait, uint32_t notify,
                          const std::vector<uint32_t>& notifies) const {
  const RankEvent& expected = *t_.signal(wait);
  int64_t most = 0;
  for (uint32_t m : notifies) {
    if (m == notify) continue;
    const RankEvent& e = *t_.signal(m);
    const bool possible = !before(wait, m) && !before(notify, m);
    if (e.signal->replaces) {
      if (possible) most = std::max(most, e.value);
    } else if (e.value >= 0) {
      if (possible) most += e.value;
    } else if (before(m, wait)) {
      most += e.value;
    }
  }
  return most < expected.value;
}

bool HappensBefore::learn() {
  bool found = false;
  for (const auto& [cell, users] : t_.cells())
    for (uint32_t w : users.waits)
      for (uint32_t n : users.notifies) {
        if (ordered(n, w) || t_.signal(n)->value < 0) continue;
        // Where device data choose signals, nobody is accused: every wait is taken to be enough.
        if (!t_.is_uncertain(cell.window) && !needs(w, n, users.notifies)) continue;
        preds_[w].push_back(n);
        found = true;
      }
  return found;
}

}  // namespace tilewright::compile
