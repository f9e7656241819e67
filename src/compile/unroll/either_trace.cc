// Control flow of a kernel that only data decides: both ways are followed, and what they leave
// behind is joined.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/base/text.h"
#include "tilewright/compile/unroll/kernel_trace.h"

namespace tilewright::compile {

using namespace ir;

namespace {

std::string trips_text(const std::optional<int64_t>& most) {
  if (!most) return "1 trip, because the count has no bound";
  return fmt::format("{}, the upper bound", counted(*most, "trip"));
}

}  // namespace

bool KernelTrace::undecided(const For& loop, std::span<const VarId> unknown) {
  const LoopBounds bounds{loop.start, loop.stop, loop.step};
  const auto most = ranges_.most_trips(bounds, *env_);
  ranges_.loop(loop.var, bounds, *env_);
  if (!findings_.again(&loop, "device-control", Severity::Note))
    findings_.add(
        &loop, loop.place, kernel_->name, fmt::format("{} loop", loop_kind_name(loop.kind)),
        {.severity = Severity::Note,
         .code = "device-control",
         .what = fmt::format("device data decide the trip count of the loop over {}; a prediction "
                             "assumes {}",
                             p_[loop.var].written_name(), trips_text(most)),
         .law = "checks cover every outcome of data-dependent control flow; a prediction needs "
                "one trip count",
         .help = most ? "no action needed if this count is typical; otherwise tighten the bound"
                      : "bound the count with min to predict more trips"});
  return undecided(loop.place, unknown);
}

bool KernelTrace::undecided(const Place& place, std::span<const VarId> unknown) {
  for (const VarId v : unknown)
    if (const CauseId cause = undefined_scalar(v); cause && is_news(&place, cause))
      fail(place,
           undefined_index(fmt::format("scalar {}, which decides this loop or branch,", p_[v].written_name()),
                           cause));
  return true;
}

void KernelTrace::forget(std::span<const VarId> scalars) {
  for (const VarId v : scalars) {
    env_->forget(v);
    ranges_.forget(v);
  }
}

void KernelTrace::remember(Fork& fork, VarId v, const Tile& t) {
  if (std::ranges::find(fork.before, v, &Saved::var) == fork.before.end())
    fork.before.push_back({v, t});
}

void KernelTrace::begin_either(std::vector<VarId> scalars) {
  forks_.push_back({ScalarSides(std::move(scalars), *env_, ranges_)});
}

// The second side starts where the first did.
void KernelTrace::other_side() {
  Fork& fork = forks_.back();
  fork.scalars.other_side(*env_, ranges_);
  fork.written_first = std::exchange(fork.written, {});
  for (const Saved& s : fork.before) {
    Tile& t = tiles_[s.var.index()];
    fork.first.push_back({s.var, std::move(t)});
    t = s.tile;
  }
}

void KernelTrace::end_either() {
  Fork fork = std::move(forks_.back());
  forks_.pop_back();
  fork.scalars.join(*env_, ranges_);
  for (const Saved& s : fork.before) {
    const auto first = std::ranges::find(fork.first, s.var, &Saved::var);
    Tile& t = tiles_[s.var.index()];
    t = joined(s.var, first == fork.first.end() ? s.tile : std::move(first->tile), std::move(t));
    if (!forks_.empty()) remember(forks_.back(), s.var, s.tile);
  }
  // What both sides write is written.
  for (const Written& a : fork.written_first)
    for (const Written& b : fork.written)
      if (a.contents == b.contents && a.rect.overlaps(b.rect))
        define(*a.contents, intersection(a.rect, b.rect));
}

void KernelTrace::written_on_this_side(Contents& contents, const TensorRef& window, bool defined) {
  std::vector<Written>& list = forks_.back().written;
  if (!defined) {
    std::erase_if(list, [&](const Written& w) { return w.contents == &contents; });
    return;
  }
  for_each_rect(window, contents.cols(), [&](const Rect& r) {
    for (Written& w : list)
      if (w.contents == &contents && merge_into(w.rect, r)) return;
    list.push_back({&contents, r});
  });
}

void KernelTrace::define(Contents& contents, const Rect& r) {
  if (forks_.empty())
    contents.define(r);
  else
    forks_.back().written.push_back({&contents, r});
}

// Defined where both are. What only one of them has defined is there or not: data decides.
KernelTrace::Tile KernelTrace::joined(VarId v, Tile a, Tile b) {
  if (a.whole && b.whole) return b;
  const Contents of_a = contents(a, v);
  const Contents of_b = contents(b, v);
  Contents both(of_a.rows(), of_a.cols(), kNoCause);
  const auto defined_by = [&](const Tile& t, CauseId otherwise) {
    return t.writer ? causes_.may_be_written(v, by(*t.writer)) : otherwise;
  };
  of_a.for_each_undefined(both.whole(),
                          [&](const Rect& r, CauseId c) { both.spoil(r, defined_by(b, c)); });
  of_b.for_each_undefined(both.whole(),
                          [&](const Rect& r, CauseId c) { both.spoil(r, defined_by(a, c)); });
  of_a.for_each_undefined(both.whole(), [&](const Rect& r, CauseId c) {
    // Certainly undefined is only what is so on both sides.
    of_b.for_each_undefined(r, [&](const Rect& on_both_sides, CauseId d) {
      both.spoil(on_both_sides, causes_.certain(c) ? d : c);
    });
  });
  b.contents = std::move(both);
  settle(b, v);
  return b;
}

}  // namespace tilewright::compile
