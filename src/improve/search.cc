#include "tilewright/improve/search.h"

#include <algorithm>

#include "tilewright/improve/choices.h"
#include "tilewright/improve/judge.h"
#include "tilewright/ir/program.h"
#include "tilewright/session/doubt.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

using Clock = std::chrono::steady_clock;

session::Request with_keys(const session::Request& request, const Point& point) {
  session::Request out = request;
  for (const auto& [key, value] : point) out.set[key] = value;
  return out;
}

ir::Program program_at(const catalog::ProgramDef& def, const session::Request& request) {
  return def.build(session::configure(def, request));
}

std::vector<OutputMatch> outputs_at(const catalog::ProgramDef& def, const session::Request& request,
                                    const Point& point) {
  return compare_results(def, request, program_at(def, request),
                         program_at(def, with_keys(request, point)));
}

// Keys that change the values by themselves; if none does, all that differ together.
std::vector<std::string> culprits(const catalog::ProgramDef& def, const session::Request& request,
                                  const Tuned& t) {
  std::vector<std::string> alone, all;
  for (const auto& [key, value] : t.best) {
    if (value == t.start.at(key)) continue;
    all.push_back(key);
    Point one = t.start;
    one[key] = value;
    try {
      if (!all_match(outputs_at(def, request, one))) alone.push_back(key);
    } catch (const UserError&) {  // this key cannot change by itself
    }
  }
  return alone.empty() ? all : alone;
}

// What no tiling can beat: the bytes of the parameters at the rate that programs reach of HBM.
double floor_us(const catalog::ProgramDef& def, const session::Request& request) {
  if (!request.simulated()) return 0;
  const session::TimedRun r = session::predict(def, request);
  return r.passed() ? r.profile->all.roofline_us : 0;
}

void add_intervals(const catalog::ProgramDef& def, const session::Request& request, Searched& out) {
  session::TimedRun best = session::predict(def, with_keys(request, out.tuned.best));
  if (!best.passed()) return;
  session::add_doubt(best);
  out.roofline_us = best.profile->all.roofline_us;
  out.best_caveats = session::caveats(*best.session);
  session::TimedRun start = session::predict(def, request);
  if (!start.passed()) return;
  out.start_caveats = session::caveats(*start.session);
  session::add_doubt(start);
  out.faster = session::ratio_interval(start, best);
  const double spread = request.machine().spread.ratio;
  for (double us : out.tuned.times)
    out.as_good += us <= out.tuned.best_verdict.time_us * (1 + spread);
  --out.as_good;
}

}  // namespace

Space space_of(const catalog::ProgramDef& def, const session::Request& request,
               const SearchRequest& search) {
  const catalog::Config config = session::configure(def, request);
  return make_space(with_derived_choices(def, config), search.wanted, search.fixed);
}

Searched search(const catalog::ProgramDef& def, const session::Request& request,
                const SearchRequest& search, const SearchObserver& observer) {
  const auto deadline = Clock::now() + search.options.time;
  SearchRequest left = search;
  left.options.floor_us = floor_us(def, request);
  Searched out;
  out.space = space_of(def, request, left);
  require_axes(out.space);
  for (;;) {
    if (observer.begin) observer.begin(out.space);
    left.options.time = deadline - Clock::now();
    out.tuned = tune(out.space, judge_of(def, request, out.space), left.options, observer.judged);
    out.outputs.clear();
    // Keys with stated choices are known not to change the computed values.
    if (!out.tuned.found() || !out.space.derives(out.tuned.best)) break;
    if (observer.compare) observer.compare();
    out.outputs = outputs_at(def, request, out.tuned.best);
    if (all_match(out.outputs)) break;
    // At least one key leaves the space, so this ends.
    for (const std::string& key : culprits(def, request, out.tuned)) {
      out.change_values.push_back(key);
      left.fixed[key] = out.tuned.start.at(key);
      left.wanted.erase(key);
    }
    Space smaller = space_of(def, request, left);
    if (smaller.axes.empty() || (left.wanted.empty() && !search.wanted.empty())) {
      out.tuned.best = out.tuned.start;
      out.tuned.best_verdict = out.tuned.start_verdict;
      out.outputs.clear();
      break;
    }
    out.space = std::move(smaller);
  }
  if (request.simulated() && out.tuned.found()) add_intervals(def, request, out);
  return out;
}

}  // namespace tilewright::improve
