#include "tilewright/improve/tune.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "tilewright/base/all_cores.h"
#include "tilewright/base/rng.h"
#include "tilewright/ir/program.h"

namespace tilewright::improve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kAtFloor = 1.01;    // ratio to the lower bound at which the search stops
constexpr int64_t kHopeless = 5000;  // candidates refused without one that can be used

// A usable candidate is better than a refused one.
bool better_than(const Verdict& a, const Verdict& b) {
  if (a.usable() != b.usable()) return a.usable();
  return a.time_us != b.time_us ? a.time_us < b.time_us : a.tasks < b.tasks;
}

class Search {
 public:
  Search(const Space& space, const Judge& judge, const TuneOptions& options,
         const std::function<void(const Tuned&)>& heard)
      : space_(space), judge_(judge), options_(options), heard_(heard), rng_(options.seed) {}

  Tuned go() {
    out_.start = out_.best = space_.start;
    const std::vector<Verdict> first = judge_all({space_.start});
    if (first.empty()) return std::move(out_);
    out_.start_verdict = out_.best_verdict = first.front();
    here_ = out_.best;
    here_verdict_ = out_.best_verdict;
    while (!over()) {
      if (!descend() && !over()) jump();
    }
    return std::move(out_);
  }

 private:
  // One key after the other, in random order, to its best value. True if anything got better.
  bool descend() {
    bool better = false;
    std::vector<std::size_t> order(space_.axes.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(rng_.integer(0, static_cast<int64_t>(i)))]);
    for (std::size_t i : order) {
      if (over()) break;
      better = along(space_.axes[i]) || better;
    }
    return better;
  }

  bool along(const Axis& axis) {
    std::vector<Point> candidates;
    for (int64_t v : axis.values) {
      Point p = here_;
      p[axis.key] = v;
      if (!seen_.contains(p)) candidates.push_back(std::move(p));
    }
    const std::vector<Verdict> verdicts = judge_all(candidates);
    bool better = false;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (!verdicts[i].usable() || !better_than(verdicts[i], here_verdict_)) continue;
      here_ = candidates[i];
      here_verdict_ = verdicts[i];
      better = true;
    }
    return better;
  }

  // No neighbour is better: changes several keys of the best point at once.
  void jump() {
    constexpr int kTries = 200;
    for (int t = 0; t < kTries && !over(); ++t) {
      Point p = out_.best;
      const int64_t changes = rng_.integer(2, 5);
      for (int64_t c = 0; c < changes; ++c) {
        const Axis& axis = space_.axes[static_cast<std::size_t>(rng_.integer(0, static_cast<int64_t>(space_.axes.size())))];
        p[axis.key] = axis.values[static_cast<std::size_t>(rng_.integer(0, static_cast<int64_t>(axis.values.size())))];
      }
      if (seen_.contains(p)) continue;
      const std::vector<Verdict> verdict = judge_all({p});
      if (verdict.empty() || !verdict.front().usable()) continue;
      here_ = p;
      here_verdict_ = verdict.front();
      return;
    }
    constexpr int64_t kSmall = 100'000;
    if (!over() && size_ <= kSmall) sweep();
  }

  // Jumps find no new points: the space is small enough to judge every point.
  void sweep() {
    std::vector<Point> all{{}};
    for (const Axis& axis : space_.axes) {
      std::vector<Point> longer;
      for (const Point& p : all)
        for (int64_t v : axis.values) {
          longer.push_back(p);
          longer.back()[axis.key] = v;
        }
      all = std::move(longer);
    }
    std::erase_if(all, [&](const Point& p) { return seen_.contains(p); });
    judge_all(all);
  }

  // Verdicts in the order of the candidates, so that threads change nothing; fewer than candidates
  // when the budget ends.
  std::vector<Verdict> judge_all(const std::vector<Point>& candidates) {
    std::vector<Verdict> verdicts;
    const auto batch = static_cast<std::size_t>(std::max(1, options_.threads));
    for (std::size_t begin = 0; begin < candidates.size() && !over(); begin += batch) {
      const std::size_t room = static_cast<std::size_t>(std::min<int64_t>(
          static_cast<int64_t>(batch), options_.candidates - out_.judged));
      const std::size_t end = std::min(candidates.size(), begin + room);
      verdicts.resize(end);
      for_each_index(end - begin, [&](std::size_t n) {
        verdicts[begin + n] = judge_(candidates[begin + n]);
      });
      for (std::size_t i = begin; i < end; ++i) take(candidates[i], verdicts[i]);
    }
    return verdicts;
  }

  void take(const Point& p, const Verdict& v) {
    seen_.insert(p);
    ++out_.judged;
    if (!v.usable()) {
      ++out_.refused[v.refused];
    } else {
      out_.times.push_back(v.time_us);
      if (out_.judged > 1 && better_than(v, out_.best_verdict)) {
        out_.best = p;
        out_.best_verdict = v;
      }
      out_.at_floor = out_.at_floor || v.time_us <= options_.floor_us * kAtFloor;
    }
    out_.exhausted = out_.judged == size_;
    if (heard_) heard_(out_);
  }

  bool over() {
    if (options_.stop && *options_.stop) out_.stopped = true;
    if (out_.times.empty() && out_.judged >= kHopeless) return true;
    return out_.stopped || out_.exhausted || out_.at_floor || out_.judged >= options_.candidates ||
           (out_.judged > 0 && Clock::now() - begin_ >= options_.time);
  }

  const Space& space_;
  const Judge& judge_;
  const TuneOptions& options_;
  const std::function<void(const Tuned&)>& heard_;
  const int64_t size_ = space_.size();
  const Clock::time_point begin_ = Clock::now();
  Rng rng_;
  Tuned out_;
  std::set<Point> seen_;
  Point here_;  // where the descent stands
  Verdict here_verdict_;
};

}  // namespace

Tuned tune(const Space& space, const Judge& judge, const TuneOptions& options,
           const std::function<void(const Tuned&)>& heard) {
  return Search(space, judge, options, heard).go();
}

}  // namespace tilewright::improve
