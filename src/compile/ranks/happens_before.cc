#include "tilewright/compile/ranks/happens_before.h"

#include <algorithm>
#include <optional>

#include "tilewright/base/check.h"

namespace tilewright::compile {

using namespace ir;

HappensBefore::HappensBefore(const Timeline& timeline, const std::vector<uint32_t>& executed)
    : t_(timeline), executed_(executed), preds_(timeline.preds()) {
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

HappensBefore::Given HappensBefore::given_before(uint32_t wait,
                                                 const std::vector<uint32_t>& notifies) const {
  Given given;
  for (uint32_t m : notifies) {
    const RankEvent& e = *t_.signal(m);
    if (e.signal->replaces || e.value >= 0) {
      if (!before(wait, m)) given.added.push_back({m, e.value, e.signal->replaces});
    } else if (before(m, wait)) {
      given.taken += e.value;
    }
  }
  return given;
}

// Whether the signal could not be what the wait expects without this notify: the most it can be
// then is what all others add that do not come after the wait or after the notify, less what was
// certainly taken away before.
bool HappensBefore::needs(uint32_t wait, uint32_t notify, const Given& given) const {
  const int64_t expected = t_.signal(wait)->value;
  int64_t most = given.taken, set = 0;
  for (const Given::Notify& m : given.added) {
    if (m.step == notify || before(notify, m.step)) continue;
    if (m.replaces)
      set = std::max(set, m.value);
    else
      most += m.value;
    if (set + most >= expected) return false;  // it only grows
  }
  return set + most < expected;
}

// Notifies that the wait needs and that are not known to come before it. Of notifies that follow
// each other a wait needs a first part, which its last one stands for.
std::vector<uint32_t> HappensBefore::needed(uint32_t wait,
                                            const std::vector<uint32_t>& notifies) const {
  std::vector<uint32_t> grows;
  for (uint32_t n : notifies)
    if (t_.signal(n)->value >= 0) grows.push_back(n);
  std::optional<Given> given;
  const auto is_needed = [&](uint32_t n) {
    // Where device data choose signals, nobody is accused: an order that may be is taken as one.
    if (t_.is_uncertain(t_.signal(wait)->window)) return executed_[n] < executed_[wait];
    if (before(n, wait) || before(wait, n)) return before(n, wait);
    if (!given) given = given_before(wait, notifies);
    return needs(wait, n, *given);
  };
  const bool chain = std::ranges::adjacent_find(grows, [&](uint32_t a, uint32_t b) {
                       return !before(a, b);
                     }) == grows.end();
  if (chain) {
    const auto end = std::ranges::partition_point(grows, is_needed);
    grows.erase(end, grows.end());
    if (grows.size() > 1) grows.erase(grows.begin(), grows.end() - 1);
  } else {
    std::erase_if(grows, [&](uint32_t n) { return !is_needed(n); });
  }
  std::erase_if(grows, [&](uint32_t n) { return before(n, wait); });
  return grows;
}

bool HappensBefore::learn() {
  bool found = false;
  for (const auto& [cell, users] : t_.cells())
    for (uint32_t w : users.waits)
      for (uint32_t n : needed(w, users.notifies)) {
        preds_[w].push_back(n);
        found = true;
      }
  return found;
}

}  // namespace tilewright::compile
