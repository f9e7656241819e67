#include "tilewright/session/pair_stages.h"

#include <algorithm>
#include <set>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/ir/walk.h"

namespace tilewright::session {
namespace {

using Words = std::set<std::string>;

// A description of what a kernel does that can be compared between two programs.
struct Deed {
  Words reads, writes;  // tensors in GM by name
  Words origins;        // parameters from which its inputs were computed
  Words ops;
};

double likeness(const Words& a, const Words& b) {
  if (a.empty() && b.empty()) return 1;
  const auto common = std::ranges::count_if(a, [&](const std::string& w) { return b.contains(w); });
  return static_cast<double>(common) / static_cast<double>(a.size() + b.size() - common);
}

// From 0 to 1. The weights were chosen so that two kernels that only share their operations and the
// kind of their tensors stay below `kAlike`, and a fused kernel still finds the larger of its
// parts.
constexpr double kAlike = 0.5;
double likeness(const Deed& a, const Deed& b, bool same_name) {
  return 0.30 * likeness(a.reads, b.reads) + 0.25 * likeness(a.writes, b.writes) +
         0.20 * likeness(a.origins, b.origins) + 0.15 * likeness(a.ops, b.ops) +
         0.10 * (same_name ? 1 : 0);
}

// By kernel.
std::vector<Deed> deeds_of(const TimedRun& r) {
  const ir::Plan& plan = *r.session->plan();
  const ir::TaskGraph& graph = *r.session->graph();
  std::vector<Deed> deeds(plan.kernels.size());
  std::vector<std::set<std::size_t>> reads(deeds.size()),
      writes(deeds.size());  // buffers' variables
  std::vector<Words> made_from(plan.program.vars.size());
  for (const ir::Task& t : graph.tasks)
    for (const ir::Access& a : graph.accesses_of(t)) {
      const ir::Buffer& b = graph.buffers[a.buffer.index()];
      (a.write ? writes : reads)[t.kernel.index()].insert(b.var.index());
      if (b.param >= 0) made_from[b.var.index()].insert(plan.program[b.var].name);
    }
  for (bool more = true; more;) {  // repeated until nothing changes, because of loops
    more = false;
    for (std::size_t k = 0; k < deeds.size(); ++k) {
      for (std::size_t v : reads[k])
        deeds[k].origins.insert(made_from[v].begin(), made_from[v].end());
      for (std::size_t v : writes[k]) {
        const std::size_t before = made_from[v].size();
        made_from[v].insert(deeds[k].origins.begin(), deeds[k].origins.end());
        more = more || made_from[v].size() != before;
      }
    }
  }
  for (std::size_t k = 0; k < deeds.size(); ++k) {
    for (std::size_t v : reads[k]) deeds[k].reads.insert(plan.program.vars[v].name);
    for (std::size_t v : writes[k]) deeds[k].writes.insert(plan.program.vars[v].name);
    ir::for_each_op(plan.kernels[k].body,
                    [&](const ir::Op& op) { deeds[k].ops.emplace(ir::op_name(op.kind)); });
  }
  return deeds;
}

struct Candidate {
  double likeness;
  std::size_t a, b;  // stages
};

std::vector<Candidate> candidates(const TimedRun& a, const TimedRun& b) {
  const std::vector<Deed> deeds_a = deeds_of(a), deeds_b = deeds_of(b);
  const auto& stages_a = a.profile->stages;
  const auto& stages_b = b.profile->stages;
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < stages_a.size(); ++i)
    for (std::size_t j = 0; j < stages_b.size(); ++j) {
      const double alike =
          likeness(deeds_a[stages_a[i].kernel.index()], deeds_b[stages_b[j].kernel.index()],
                   stages_a[i].name == stages_b[j].name);
      if (alike >= kAlike) out.push_back({alike, i, j});
    }
  std::ranges::stable_sort(out, std::greater(), &Candidate::likeness);
  return out;
}

}  // namespace

std::vector<StagePair> paired_stages(const TimedRun& a, const TimedRun& b) {
  const auto& stages_a = a.profile->stages;
  const auto& stages_b = b.profile->stages;
  std::vector<const report::Stage*> of_a(stages_a.size(), nullptr);
  std::vector<bool> taken(stages_b.size(), false);
  for (const Candidate& c : candidates(a, b)) {  // the most alike first
    if (of_a[c.a] || taken[c.b]) continue;
    of_a[c.a] = &stages_b[c.b];
    taken[c.b] = true;
  }
  std::vector<StagePair> out;
  for (std::size_t i = 0; i < stages_a.size(); ++i) {
    const bool renamed = of_a[i] && of_a[i]->name != stages_a[i].name;
    out.push_back({renamed ? stages_a[i].name + " / " + of_a[i]->name : stages_a[i].name,
                   &stages_a[i], of_a[i]});
  }
  for (std::size_t j = 0; j < stages_b.size(); ++j)
    if (!taken[j]) out.push_back({stages_b[j].name, nullptr, &stages_b[j]});
  return out;
}

}  // namespace tilewright::session
