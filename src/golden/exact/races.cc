#include "tilewright/golden/exact/races.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::golden::exact {

Races::Races(const ir::LoweredKernel& code, const Clocks& clocks, Findings& findings)
    : clocks_(clocks), findings_(findings) {
  std::vector<ByteRange> ranges;
  for (std::size_t s = 0; s < code.storage.size(); ++s) {
    first_slot_.push_back(slots_.size());
    for (int copy = 0; copy < code.storage[s].copies; ++copy) {
      slots_.push_back({static_cast<int>(s), copy, {}, {}, {}});
      ranges.push_back(bytes_of_copy(code, static_cast<int>(s), copy));
    }
  }
  for (std::size_t a = 0; a < slots_.size(); ++a)
    for (std::size_t b = 0; b < slots_.size(); ++b)
      if (ranges[a].overlaps(ranges[b])) slots_[a].overlapping.push_back(b);
}

// Two accesses that must not change places.
bool Races::is_race(const Who& earlier, const Who& later) {
  ++pairs_;
  return !clocks_.ordered(earlier.instance, later.instance);
}

void Races::compare(const Last& earlier, const Slot& theirs, const Who& who, const Slot& mine) {
  for (const Who& e : earlier) {
    if (e.instance < 0 || e.unit == who.unit || !is_race(e, who)) continue;
    findings_.add(Finding::Kind::Race, e.instruction, who.instruction, [&] {
      const std::string bytes = findings_.text(mine.storage, mine.copy);
      if (&theirs == &mine) return fmt::format("nothing orders their accesses to {}", bytes);
      return fmt::format("nothing orders their accesses to {} and {}, which share bytes",
                         findings_.text(theirs.storage, theirs.copy), bytes);
    });
  }
}

void Races::on_chip(const Who& who, int storage, int copy, bool write) {
  Slot& mine =
      slots_[first_slot_[static_cast<std::size_t>(storage)] + static_cast<std::size_t>(copy)];
  for (const std::size_t s : mine.overlapping) {
    const Slot& theirs = slots_[s];
    compare(theirs.writes, theirs, who, mine);
    if (write) compare(theirs.reads, theirs, who, mine);
  }
  (write ? mine.writes : mine.reads)[static_cast<std::size_t>(who.unit)] = who;
}

void Races::in_gm(const Who& who, const ir::TensorRef& ref, int64_t cols, bool write) {
  GmAccess mine{who, write, {}};
  ir::for_each_rect(ref, cols, [&](const ir::Rect& r) { mine.rects.push_back(r); });
  std::vector<GmAccess>& earlier = gm_[ref.buffer];
  const auto meet = [&](const GmAccess& a) {
    return std::ranges::any_of(a.rects, [&](const ir::Rect& r) {
      return std::ranges::any_of(mine.rects, [&](const ir::Rect& m) { return r.overlaps(m); });
    });
  };
  for (const GmAccess& e : earlier) {
    if (!(e.write || write) || e.who.unit == who.unit || !meet(e)) continue;
    if (is_race(e.who, who))
      findings_.add(Finding::Kind::Race, e.who.instruction, who.instruction, [&] {
        return fmt::format("nothing orders their accesses to elements {} of a buffer in GM",
                           mine.rects.front().text());
      });
  }
  earlier.push_back(std::move(mine));
}

}  // namespace tilewright::golden::exact
