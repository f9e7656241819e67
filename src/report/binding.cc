#include "tilewright/report/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilewright/base/text.h"
#include "tilewright/ir/plan.h"

namespace tilewright::report {

using namespace ir;

namespace {

// Below this share of the time a cost is not worth naming.
constexpr double kWorthNaming = 0.05;

}  // namespace

std::string binding_cost(const std::vector<WhatIf>& what_ifs) {
  const auto most = std::ranges::min_element(what_ifs, {}, &WhatIf::total_us);
  return most == what_ifs.end() ? "" : most->name;
}

std::string binding_sentence(double total_us, const std::vector<WhatIf>& what_ifs) {
  if (total_us <= 0) return "Nothing ran, so nothing binds.";
  if (what_ifs.empty()) return "";
  std::vector<const WhatIf*> order;
  for (const WhatIf& w : what_ifs) order.push_back(&w);
  std::ranges::stable_sort(order, {}, [](const WhatIf* w) { return w->total_us; });
  const auto saved = [&](const WhatIf& w) { return 1 - w.total_us / total_us; };
  const WhatIf& most = *order.front();
  if (saved(most) < kWorthNaming)
    return fmt::format("No single cost binds: the largest, {}, is worth {:.1f}% of the time.",
                       most.name, 100 * std::max(0.0, saved(most)));
  const int digits = most.total_us < 100 ? 2 : 0;
  std::string out = fmt::format("Bound by {}: without {} it would take {:.{}f} us, {:.0f}% less",
                                most.name, most.left_out, most.total_us, digits, 100 * saved(most));
  std::vector<std::string> next;
  for (std::size_t i = 1; i < order.size() && next.size() < 2; ++i)
    if (saved(*order[i]) >= kWorthNaming)
      next.push_back(fmt::format("{} ({:.0f}%)", order[i]->name, 100 * saved(*order[i])));
  if (!next.empty())
    out += fmt::format("; next {} {}", next.size() > 1 ? "are" : "is", join(next, " and "));
  return out + ".";
}

std::vector<PipeShare> pipe_shares(const Plan& plan, const RunRecord& record,
                                   const platform::Platform& platform) {
  std::array<std::array<double, kPipes>, 2> busy{};
  for (const TaskRecord& t : record.tasks) {
    const KernelProfile& p = record.profiles[t.profile];
    // In a split kernel both vector cores of the cluster execute half of every op in parallel.
    const bool both = plan.kernel(p.kernel).split != Split::None;
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t pipe = 0; pipe < kPipes; ++pipe)
        busy[side][pipe] += static_cast<double>(p.busy[side][pipe]) *
                            (side == 1 && both ? platform.vectors_per_cluster : 1);
  }
  const auto total = static_cast<double>(record.total());
  std::vector<PipeShare> out;
  for (std::size_t side = 0; side < 2; ++side) {
    const int cores = side == 0 ? platform.cube_cores : platform.vector_cores;
    for (std::size_t pipe = 0; pipe < kPipes; ++pipe)
      if (busy[side][pipe] > 0 && cores > 0 && total > 0)
        out.push_back({std::string(pipe_name(static_cast<Pipe>(pipe))), static_cast<CoreSide>(side),
                       busy[side][pipe] / (total * cores)});
  }
  return out;
}

}  // namespace tilewright::report
