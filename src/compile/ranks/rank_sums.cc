#include <fmt/format.h>

#include <algorithm>

#include "tilewright/compile/pass_context.h"
#include "tilewright/compile/ranks/findings_of_ranks.h"

namespace tilewright::compile {
namespace {

using namespace ir;

// The numbers in "((0+1)+2)", sorted.
std::vector<int> ranks_in(const std::string& order) {
  std::vector<int> out;
  for (std::size_t i = 0; i < order.size();) {
    if (order[i] < '0' || order[i] > '9') {
      ++i;
      continue;
    }
    int number = 0;
    for (; i < order.size() && order[i] >= '0' && order[i] <= '9'; ++i)
      number = number * 10 + (order[i] - '0');
    out.push_back(number);
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> sums_of(const TaskGraph& graph, const Op* op) {
  std::vector<std::string> out;
  for (const RankSum& s : graph.rank_sums)
    if (s.op == op) out.push_back(s.order);
  return out;
}

}  // namespace

void find_rank_sums(const Plan& plan, std::span<const TaskGraph> ranks, Diagnostics& out) {
  std::vector<const Op*> ops;
  for (const RankSum& s : ranks[0].rank_sums)
    if (std::ranges::find(ops, s.op) == ops.end()) ops.push_back(s.op);
  for (const Op* op : ops) {
    const auto first = sums_of(ranks[0], op);
    for (std::size_t r = 1; r < ranks.size(); ++r) {
      const auto other = sums_of(ranks[r], op);
      const auto differs = [&](std::size_t i) {
        return first[i] != other[i] && ranks_in(first[i]) == ranks_in(other[i]);
      };
      std::size_t i = 0;
      while (i < std::min(first.size(), other.size()) && !differs(i)) ++i;
      if (i == std::min(first.size(), other.size())) continue;
      out.add({Severity::Warning, "rank-order",
               fmt::format("rank 0 adds the parts of the ranks as {}, but rank {} as {}", first[i],
                           r, other[i]),
               where_text(plan.program, op->place, "", ""),
               "the last bits of a floating-point sum depend on the order of addition, so the "
               "ranks do not hold the same sum",
               "add the parts in rank order on every rank, including the rank's own part",
               op->place.excerpt(), op->place});
      break;
    }
  }
}

}  // namespace tilewright::compile
