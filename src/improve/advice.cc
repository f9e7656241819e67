#include "tilewright/improve/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/improve/apply.h"
#include "tilewright/improve/findings/findings.h"
#include "tilewright/improve/key_advice.h"
#include "tilewright/improve/study.h"

namespace tilewright::improve {
namespace {

using Site = std::pair<std::string, std::string>;  // code and place

// Findings without a mechanical change. They are left out where a rewrite with the same code was
// proposed, since its gain is predicted instead of estimated.
Findings estimates(const Subject& subject, const std::set<Site>& proposed,
                   const Findings& predicted) {
  Findings all;
  for (const auto find : {find_shared_loads, find_round_trips, find_sums_in_gm, find_narrow_rows,
                          find_padded_rows, find_idle_right_memory, find_long_merges,
                          find_single_row_ops})
    find(subject, all);
  // Wider tiles also fix short rows and an underused right memory.
  const auto cures = [](const Finding& p, const Finding& e) {
    return (e.code == "small-dma" || e.code == "l0b-underuse") && p.code == "tile-size" &&
           p.where.scope == e.where.scope;
  };
  std::erase_if(all, [&](const Finding& e) {
    return proposed.contains({e.code, e.where.text()}) ||
           std::ranges::any_of(predicted, [&](const Finding& p) { return cures(p, e); });
  });
  return all;
}

// Changes that each gain less than the prediction error may gain more together.
std::optional<Finding> all_together(const catalog::ProgramDef& def, const session::Request& request,
                                    double least_us) {
  const Applied a = apply_advice(def, request, {.compare = false});
  if (!a.changed() || a.before_us - a.after_us < least_us) return std::nullopt;
  return Finding{"together",
                 fmt::format("{} that each gain little",
                             counted(static_cast<int64_t>(a.steps.size()), "change")),
                 {},
                 "make them one after the other",
                 a.before_us,
                 a.after_us,
                 false,
                 a.program};
}

}  // namespace

double least_gain(const platform::Platform& machine) {
  // A gain of 5 % is reported even on machines whose predictions have a larger error.
  return std::min(machine.spread.ratio, 0.05);
}

Advice advise(const catalog::ProgramDef& def, const session::Request& request,
              const AdviseOptions& options) {
  const Deadline deadline = std::chrono::steady_clock::now() + options.time;
  const auto tell = [&](double done) {
    if (options.progress) options.progress(done);
  };
  Advice out;
  Study study(def, request);
  if (study.ready()) {
    out.profile = study.profile();
    tell(0.1);
    Rewrites proposals = study.proposals();
    std::set<Site> proposed;
    for (const Rewrite& r : proposals) proposed.insert({r.code, r.where.text()});
    Judged rewrites = judged(def, study, std::move(proposals), deadline);
    out.findings = std::move(rewrites.findings);
    out.untried = rewrites.untried;
    tell(0.6);
    for (Finding& f : key_findings(def, request, study.total_us(), deadline))
      out.findings.push_back(std::move(f));
    tell(0.9);
    for (Finding& f : estimates(study.subject(), proposed, out.findings))
      out.findings.push_back(std::move(f));
    std::ranges::stable_sort(out.findings, std::greater<>(), &Finding::gain_us);
    const double least = least_gain(study.session().machine()) * study.total_us();
    const auto small = std::ranges::find_if(
        out.findings, [&](const Finding& f) { return f.gain_us() < least; });
    out.small.assign(std::make_move_iterator(small),
                     std::make_move_iterator(out.findings.end()));
    out.findings.erase(small, out.findings.end());
    if (out.findings.empty() && std::ranges::any_of(out.small, &Finding::mechanical) &&
        options.time >= std::chrono::hours(1))  // it takes long and has no time limit of its own
      if (auto f = all_together(def, request, least)) out.findings.push_back(std::move(*f));
  }
  out.session = study.release();
  return out;
}

}  // namespace tilewright::improve
