#include "tilewright/improve/advice.h"

#include <algorithm>
#include <map>

#include "tilewright/base/all_cores.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/improve/findings/findings.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/program.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

using session::Request;
using session::Session;

double total_us(const ir::RunRecord& r) { return static_cast<double>(r.total()) / 1e6; }

// The predicted time of a changed program; nothing when the checker refuses it, or when it has more
// races than the original.
std::optional<double> time_of(const catalog::ProgramDef& def, const Request& request, int64_t races,
                              const ir::Program& changed) {
  try {
    Session other(def, request, changed);
    if (!other.prepare() || other.hazards().unordered_pairs > races) return std::nullopt;
    return total_us(simulate(other, other.machine()));
  } catch (const UserError&) {  // for example a program too large to unroll
    return std::nullopt;
  }
}

// Every proposal that is legal and faster, judged on all cores; of those with one code and place
// only the best.
Findings judged_rewrites(const catalog::ProgramDef& def, const Session& s, const Subject& subject) {
  Rewrites proposed;
  for (const Rewriter propose : all_rewriters()) propose(subject, proposed);
  const int64_t races = s.hazards().unordered_pairs;
  std::vector<std::optional<double>> after(proposed.size());
  for_each_index(proposed.size(), [&](std::size_t i) {
    after[i] = time_of(def, s.request(), races, proposed[i].program);
  });
  std::map<std::pair<std::string, std::string>, std::size_t> best;
  for (std::size_t i = 0; i < proposed.size(); ++i) {
    if (!after[i] || *after[i] >= subject.total_us()) continue;
    const auto [it, fresh] = best.try_emplace({proposed[i].code, proposed[i].where}, i);
    if (!fresh && *after[i] < *after[it->second]) it->second = i;
  }
  Findings out;
  for (const auto& [site, i] : best) {
    Rewrite& r = proposed[i];
    out.push_back({r.code, r.what, r.where, r.change, subject.total_us(), *after[i], false,
                   std::make_shared<const ir::Program>(std::move(r.program))});
  }
  return out;
}

// What costs time in a program that is ready. Programs with changes have the parameters of `def`.
Findings find_all(const catalog::ProgramDef& def, Session& s, report::Profile& profile) {
  const ir::RunRecord record = simulate(s, s.machine());
  profile = report::profile(*s.plan(), *s.graph(), record, s.machine());
  const auto time_on = [&](const platform::Platform& other) {
    return total_us(simulate(s, other));
  };
  const Subject subject{s.program(), *s.plan(),   *s.graph(),   record,
                        profile,     s.machine(), s.bindings(), time_on};
  Findings out = judged_rewrites(def, s, subject);
  const std::size_t predicted = out.size();
  for (const auto find : {find_shared_loads, find_round_trips, find_sums_in_gm, find_narrow_rows,
                          find_padded_rows, find_idle_right_memory, find_long_merges,
                          find_single_row_ops})
    find(subject, out);
  // An estimate below a two-thousandth of the time is noise; one beside a prediction is superfluous.
  const auto superfluous = [&](const Finding& f) {
    return f.gain_us() < f.now_us / 2000 ||
           std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(predicted),
                       [&](const Finding& other) {
                         return other.code == f.code && other.where == f.where;
                       });
  };
  Findings kept(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(predicted));
  for (std::size_t i = predicted; i < out.size(); ++i)
    if (!superfluous(out[i])) kept.push_back(out[i]);
  std::ranges::stable_sort(kept, std::greater<>(), &Finding::gain_us);
  return kept;
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
