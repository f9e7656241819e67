#include "tilewright/tokens/grammar/matcher.h"

#include <algorithm>
#include <utility>

namespace tilewright::tokens::grammar {
namespace {

std::vector<Return> unique(std::vector<Return> returns) {
  std::ranges::sort(returns);
  returns.erase(std::ranges::unique(returns).begin(), returns.end());
  return returns;
}

}  // namespace

FrameId Frames::intern(std::vector<Return> returns) {
  const auto next = static_cast<FrameId>(frames_.size());
  const auto [at, is_new] = ids_.try_emplace(std::move(returns), next);
  if (is_new) frames_.push_back(at->first);
  return at->second;
}

// Follows ends of rules and calls of rules that may be empty; other calls are gathered, so that
// callers of one rule share its run.
void Matcher::open(Return at, Position& out) {
  std::vector<Return> work{at};
  while (!work.empty()) {
    const Return here = work.back();
    work.pop_back();
    const State& state = a_.states[here.place.state];
    if (state.edges != 0) out.at.push_back(here);
    if (state.accepts) {
      if (state.rule == a_.root) out.complete = true;
      for (const Return& r : frames_[here.below]) work.push_back(r);
    }
    for (const Call& c : a_.calls_of(state)) {
      const uint32_t count =
          c.counts ? next_count(a_.rules[state.rule], here.place.count) : here.place.count;
      const Return back{{c.back, count}, here.below};
      called_.push_back({c.rule, back});
      if (a_.states[a_.rules[c.rule].start].accepts) work.push_back(back);
    }
  }
}

// A rule that begins with calls makes more of them; none begins with itself. Where a rule returns
// to only to end as well, it returns to what is below.
void Matcher::call(Position& out) {
  while (!called_.empty()) {
    std::vector<Called> now = std::move(called_);
    called_.clear();
    std::ranges::sort(now, {}, [](const Called& c) { return std::pair(c.rule, c.back); });
    for (std::size_t i = 0; i < now.size();) {
      const RuleId rule = now[i].rule;
      std::vector<Return> returns;
      for (; i < now.size() && now[i].rule == rule; ++i) {
        const Return& back = now[i].back;
        const State& state = a_.states[back.place.state];
        const bool only_ends = state.edges == 0 && state.calls == 0 && state.rule != a_.root;
        if (only_ends) {
          const auto& below = frames_[back.below];
          returns.insert(returns.end(), below.begin(), below.end());
        } else {
          returns.push_back(back);
        }
      }
      open({{a_.rules[rule].start, 0}, frames_.intern(unique(std::move(returns)))}, out);
    }
  }
}

// One run for each place: where there are two, it returns to both.
void Matcher::settle(Position& out) {
  std::ranges::sort(out.at);
  out.at.erase(std::ranges::unique(out.at).begin(), out.at.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.at.size();) {
    std::size_t end = i + 1;
    while (end < out.at.size() && out.at[end].place == out.at[i].place) ++end;
    Return one = out.at[i];
    if (end > i + 1) {
      std::vector<Return> returns;
      for (std::size_t k = i; k < end; ++k) {
        const auto& below = frames_[out.at[k].below];
        returns.insert(returns.end(), below.begin(), below.end());
      }
      one.below = frames_.intern(unique(std::move(returns)));
    }
    out.at[kept++] = one;
    i = end;
  }
  out.at.resize(kept);
}

Position Matcher::opened(Place place, FrameId below) {
  Position out;
  open({place, below}, out);
  call(out);
  if (out.at.size() > 1) settle(out);
  return out;
}

Position Matcher::start() { return opened({a_.rules[a_.root].start, 0}, 0); }

Position Matcher::after(const Position& position, Symbol symbol) {
  Position out;
  for (const Return& at : position.at) {
    Return next = at;
    if (!advance(a_, next.place, symbol)) continue;
    if (const State& s = a_.states[next.place.state]; a_.is_plain(s)) {
      out.at.push_back(next);
      out.complete |= s.accepts;
    } else {
      open(next, out);
    }
  }
  call(out);
  if (out.at.size() > 1) settle(out);
  return out;
}

}  // namespace tilewright::tokens::grammar
