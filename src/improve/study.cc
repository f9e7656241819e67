#include "tilewright/improve/study.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <numeric>

#include "tilewright/base/all_cores.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/bindings.h"

namespace tilewright::improve {
namespace {

using session::Session;

double total_time_us(const ir::RunRecord& r) { return static_cast<double>(r.total()) / 1e6; }

double ordered_time_us(const catalog::ProgramDef& def, const session::Request& request,
                       const ir::Program& program) {
  session::Request exact = request;
  exact.rules = "exact";
  Session s(def, exact, program);
  return s.prepare() ? total_time_us(simulate(s, s.machine()))
                     : std::numeric_limits<double>::infinity();
}

// The first proposal of each code, then the second of each, and so on: a deadline leaves some of
// every kind tried.
std::vector<std::size_t> every_kind_first(const Rewrites& proposals) {
  std::map<std::string, std::size_t> seen;
  std::vector<std::size_t> rank, order(proposals.size());
  for (const Rewrite& r : proposals) rank.push_back(seen[r.code]++);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rank[i]; });
  return order;
}

}  // namespace

Study::Study(const catalog::ProgramDef& def, const session::Request& request,
             std::optional<ir::Program> changed)
    : session_(changed ? std::make_unique<Session>(def, request, std::move(*changed))
                       : std::make_unique<Session>(def, request)),
      def_(def) {
  ready_ = session_->prepare();
  if (!ready_) return;
  record_ = simulate(*session_, session_->machine());
  profile_ = report::profile(*session_->plan(), *session_->graph(), record_, session_->machine());
  races_ = session_->hazards().unordered_pairs;
}

Subject Study::subject() {
  Session& s = *session_;
  return {s.program(), *s.plan(),   *s.graph(),   record_,
          profile_,    s.machine(), s.bindings(), [&s](const platform::Platform& other) {
            return total_time_us(simulate(s, other));
          }};
}

Rewrites Study::proposals() {
  Rewrites out;
  const Subject s = subject();
  for (const Rewriter propose : all_rewriters()) propose(s, out);
  return out;
}

double Study::ordered_us() {
  std::call_once(ordered_, [&] {
    ordered_us_ = ordered_time_us(def_, session_->request(), session_->program());
  });
  return ordered_us_;
}

std::optional<double> time_of(const catalog::ProgramDef& def, Study& original,
                              const ir::Program& changed) {
  const session::Request& request = original.session().request();
  try {
    Session other(def, request, changed);
    if (!other.prepare()) return std::nullopt;
    const int64_t races = other.hazards().unordered_pairs;
    if (races > original.races() &&
        (original.races() == 0 ||
         ordered_time_us(def, request, changed) >= original.ordered_us()))
      return std::nullopt;
    return total_time_us(simulate(other, other.machine()));
  } catch (const UserError&) {  // for example a program too large to unroll
    return std::nullopt;
  }
}

Judged judged(const catalog::ProgramDef& def, Study& study, Rewrites proposals,
              Deadline deadline) {
  std::atomic<int64_t> untried = 0;
  std::vector<std::optional<double>> after(proposals.size());
  const std::vector<std::size_t> order = every_kind_first(proposals);
  for_each_index(order.size(), [&](std::size_t n) {
    const std::size_t i = order[n];
    if (over(deadline))
      ++untried;
    else
      after[i] = time_of(def, study, proposals[i].program);
  });
  std::map<std::pair<std::string, std::string>, std::size_t> best;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    if (!after[i] || *after[i] >= study.total_us()) continue;
    const auto [it, fresh] = best.try_emplace({proposals[i].code, proposals[i].where.text()}, i);
    if (!fresh && *after[i] < *after[it->second]) it->second = i;
  }
  Findings out;
  for (const auto& [site, i] : best) {
    Rewrite& r = proposals[i];
    out.push_back({r.code, r.what, r.where, r.change, study.total_us(), *after[i], false,
                   std::make_shared<const ir::Program>(std::move(r.program))});
  }
  return {std::move(out), untried};
}

}  // namespace tilewright::improve
