#include "tilewright/improve/advice.h"

#include <algorithm>

#include "tilewright/improve/findings/findings.h"
#include "tilewright/sim/sim.h"

namespace tilewright::improve {
namespace {

using harness::Prepared;
using harness::SimRequest;

int64_t races_of(const Prepared& p) {
  return compile::find_hazards(*p.plan, *p.graph, harness::rules_named(p.rules)).unordered_pairs;
}

// A program of `def`'s parameters, whether `def` built it or advice changed it.
class Bench {
 public:
  Bench(const catalog::ProgramDef& def, const SimRequest& request) : def_(def), request_(request) {}

  std::unique_ptr<Prepared> prepare(const ir::Program& program) const {
    return harness::prepare(def_, request_, program);
  }
  Findings findings(const ir::Program& program, const Prepared& prepared, report::Profile& profile) const;

 private:
  const catalog::ProgramDef& def_;
  const SimRequest& request_;
};

Findings Bench::findings(const ir::Program& program, const Prepared& prepared, report::Profile& profile) const {
  const platform::Platform& machine = request_.platform.platform;
  const ir::RunRecord record = harness::simulate(prepared, machine, request_);
  profile = report::profile(*prepared.plan, *prepared.graph, record, machine);
  const int64_t races = races_of(prepared);
  const auto us = [](const ir::RunRecord& r) { return static_cast<double>(r.total()) / 1e6; };
  const Subject subject{
      program, *prepared.plan, *prepared.graph, record, profile, machine, prepared.bindings,
      [&](const ir::Program& changed) -> std::optional<double> {
        const auto p = prepare(changed);
        if (!p->ready() || races_of(*p) > races) return std::nullopt;
        return us(harness::simulate(*p, machine, request_));
      },
      [&](const platform::Platform& other) { return us(harness::simulate(prepared, other, request_)); }};
  Findings out;
  for (const auto find : {find_needless_fills, find_products_added_apart, find_small_tasks,
                          find_ordered_loops, find_invariant_reads, find_shared_loads, find_round_trips,
                          find_sums_in_gm, find_narrow_rows, find_padded_rows, find_idle_right_memory,
                          find_long_merges, find_single_row_ops})
    find(subject, out);
  // An estimate below a two-thousandth of the time is noise.
  std::erase_if(out, [](const Finding& f) { return f.estimated && f.gain_us() < f.now_us / 2000; });
  std::ranges::stable_sort(out, std::greater<>(), &Finding::gain_us);
  return out;
}

}  // namespace

Advice advise(const catalog::ProgramDef& def, const SimRequest& request) {
  Advice out;
  out.program = harness::build(def, harness::configure(def, request));
  const Bench bench(def, request);
  out.prepared = bench.prepare(out.program);
  if (!out.prepared->ready()) return out;
  out.profile.emplace();
  out.findings = bench.findings(out.program, *out.prepared, *out.profile);
  return out;
}

Applied apply_advice(const catalog::ProgramDef& def, const SimRequest& request) {
  constexpr int kMostChanges = 50;
  constexpr double kWorthIt = 0.05;  // us
  Applied out;
  out.program = harness::build(def, harness::configure(def, request));
  const Bench bench(def, request);
  for (int i = 0; i < kMostChanges; ++i) {
    const auto prepared = bench.prepare(out.program);
    if (i == 0) out.diagnostics = prepared->diagnostics;
    if (!prepared->ready()) break;
    report::Profile profile;
    Findings found = bench.findings(out.program, *prepared, profile);
    if (i == 0) out.before_us = profile.all.total_us;
    out.after_us = profile.all.total_us;
    const auto best = std::ranges::find_if(
        found, [](const Finding& f) { return f.rewritten && f.gain_us() > kWorthIt; });
    if (best == found.end()) break;
    out.program = *best->rewritten;
    out.after_us = best->after_us;
    out.done.push_back(std::move(*best));
  }
  return out;
}

}  // namespace tilewright::improve
