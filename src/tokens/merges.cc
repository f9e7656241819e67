#include "tilewright/tokens/merges.h"

#include <array>
#include <bit>
#include <queue>

#include "tilewright/base/check.h"

namespace tilewright::tokens {
namespace {

// Up to here searching for the best pair again and again is faster than keeping a heap.
constexpr std::size_t kShort = 48;

uint64_t pair_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

}  // namespace

Merges::Merges(std::size_t count)
    : table_(std::bit_ceil(count * 3 / 2 + 2)), shift_(64 - std::countr_zero(table_.size())) {}

std::size_t Merges::slot_of(uint64_t pair) const { return (pair * 0x9E3779B97F4A7C15u) >> shift_; }

void Merges::add(int32_t left, int32_t right, int32_t merged) {
  check((next_rank_ + 1) < table_.size(), "more merges than the table was made for");
  const uint64_t pair = pair_of(left, right);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = slot_of(pair);
  while (table_[at].pair != kEmpty && table_[at].pair != pair) at = (at + 1) & mask;
  if (table_[at].pair == kEmpty) table_[at] = {pair, next_rank_, merged};
  ++next_rank_;
}

const Merges::Rule* Merges::find(int32_t left, int32_t right) const {
  const uint64_t pair = pair_of(left, right);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = slot_of(pair); table_[at].pair != kEmpty; at = (at + 1) & mask)
    if (table_[at].pair == pair) return &table_[at];
  return nullptr;
}

void Merges::apply(std::vector<int32_t>& symbols) const {
  if (symbols.size() <= kShort) {
    apply_short(symbols);
  } else {
    apply_long(symbols);
  }
}

void Merges::apply_short(std::vector<int32_t>& symbols) const {
  std::array<uint32_t, kShort> rank{};
  std::array<int32_t, kShort> merged{};
  std::size_t n = symbols.size();
  const auto look = [&](std::size_t i) {
    const Rule* rule = i + 1 < n ? find(symbols[i], symbols[i + 1]) : nullptr;
    rank[i] = rule ? rule->rank : kNone;
    merged[i] = rule ? rule->merged : 0;
  };
  for (std::size_t i = 0; i < n; ++i) look(i);
  while (n > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < n; ++i)
      if (rank[i] < rank[best]) best = i;
    if (rank[best] == kNone) break;
    symbols[best] = merged[best];
    for (std::size_t i = best + 1; i + 1 < n; ++i) {
      symbols[i] = symbols[i + 1];
      rank[i] = rank[i + 1];
      merged[i] = merged[i + 1];
    }
    --n;
    look(best);
    if (best > 0) look(best - 1);
  }
  symbols.resize(n);
}

void Merges::apply_long(std::vector<int32_t>& symbols) const {
  struct Candidate {
    uint32_t rank;
    uint32_t at;  // of the left symbol
    uint64_t pair;
    int32_t merged;
    bool operator>(const Candidate& o) const { return rank != o.rank ? rank > o.rank : at > o.at; }
  };
  constexpr uint32_t kEnd = ~uint32_t{0};
  const auto n = static_cast<uint32_t>(symbols.size());
  std::vector<uint32_t> next(n), before(n);
  for (uint32_t i = 0; i < n; ++i) {
    next[i] = i + 1 < n ? i + 1 : kEnd;
    before[i] = i > 0 ? i - 1 : kEnd;
  }
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto look = [&](uint32_t i) {
    if (i == kEnd || next[i] == kEnd) return;
    if (const Rule* rule = find(symbols[i], symbols[next[i]]))
      queue.push({rule->rank, i, rule->pair, rule->merged});
  };
  for (uint32_t i = 0; i < n; ++i) look(i);
  constexpr int32_t kGone = -1;  // no symbol: its pairs in the queue are then stale
  while (!queue.empty()) {
    const Candidate c = queue.top();
    queue.pop();
    const uint32_t right = symbols[c.at] == kGone ? kEnd : next[c.at];
    if (right == kEnd || pair_of(symbols[c.at], symbols[right]) != c.pair) continue;
    symbols[c.at] = c.merged;
    symbols[right] = kGone;
    next[c.at] = next[right];
    if (next[right] != kEnd) before[next[right]] = c.at;
    look(c.at);
    look(before[c.at]);
  }
  std::erase(symbols, kGone);
}

}  // namespace tilewright::tokens
