#include "tilewright/improve/advice.h"

#include <algorithm>

#include "tilewright/improve/findings/findings.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/program.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

using session::Request;
using session::Session;

double total_us(const ir::RunRecord& r) { return static_cast<double>(r.total()) / 1e6; }

// What costs time in a program that is ready. Programs with changes have the parameters of `def`.
Findings find_all(const catalog::ProgramDef& def, Session& s, report::Profile& profile) {
  const ir::RunRecord record = simulate(s, s.machine());
  profile = report::profile(*s.plan(), *s.graph(), record, s.machine());
  const int64_t races = s.hazards().unordered_pairs;
  const auto time_of = [&](const ir::Program& changed) -> std::optional<double> {
    Session other(def, s.request(), changed);
    if (!other.prepare() || other.hazards().unordered_pairs > races) return std::nullopt;
    return total_us(simulate(other, other.machine()));
  };
  const auto time_on = [&](const platform::Platform& other) {
    return total_us(simulate(s, other));
  };
  const Subject subject{s.program(), *s.plan(),    *s.graph(), record, profile,
                        s.machine(), s.bindings(), time_of,    time_on};
  Findings out;
  for (const auto find : {find_needless_fills, find_products_added_apart, find_small_tasks,
                          find_ordered_loops, find_invariant_reads, find_shared_loads,
                          find_round_trips, find_sums_in_gm, find_narrow_rows, find_padded_rows,
                          find_idle_right_memory, find_long_merges, find_single_row_ops})
    find(subject, out);
  // An estimate below a two-thousandth of the time is noise.
  std::erase_if(out, [](const Finding& f) { return f.estimated && f.gain_us() < f.now_us / 2000; });
  std::ranges::stable_sort(out, std::greater<>(), &Finding::gain_us);
  return out;
}

}  // namespace

Advice advise(const catalog::ProgramDef& def, const Request& request) {
  Advice out;
  out.session = std::make_unique<Session>(def, request);
  if (!out.session->prepare()) return out;
  out.profile.emplace();
  out.findings = find_all(def, *out.session, *out.profile);
  return out;
}

Applied apply_advice(const catalog::ProgramDef& def, const Request& request) {
  constexpr int kMostChanges = 50;
  constexpr double kWorthIt = 0.05;  // us
  Applied out;
  auto session = std::make_unique<Session>(def, request);
  for (int i = 0; i < kMostChanges; ++i) {
    const bool ready = session->prepare();
    if (i == 0) out.diagnostics = session->diagnostics();
    if (!ready) break;
    report::Profile profile;
    Findings found = find_all(def, *session, profile);
    if (i == 0) {
      out.original = out.program = std::make_shared<const ir::Program>(session->program());
      out.before_us = profile.all.total_us;
    }
    out.after_us = profile.all.total_us;
    const auto best = std::ranges::find_if(found, [](const Finding& f) {
      return f.rewritten && f.gain_us() > kWorthIt;
    });
    if (best == found.end()) break;
    out.program = best->rewritten;
    out.after_us = best->after_us;
    out.done.push_back(std::move(*best));
    session = std::make_unique<Session>(def, request, *out.program);
  }
  return out;
}

}  // namespace tilewright::improve
