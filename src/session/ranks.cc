#include "tilewright/session/ranks.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/program.h"

namespace tilewright::session {

void require_one_rank(const ir::Program& program) {
  if (program.ranks == 1) return;
  user_error("ranks",
             fmt::format("{} runs on {} ranks, but only one device can be executed", program.name,
                         program.ranks),
             fmt::format("in program {}", program.name),
             "programs of several ranks can be checked and predicted, but not executed",
             "use check or sim, or a program of one device");
}

std::string rank_times_text(const std::vector<double>& microseconds) {
  const std::string head =
      fmt::format("{}, each predicted separately: transfers between ranks and waits take no time\n",
                  counted(static_cast<int64_t>(microseconds.size()), "rank"));
  const auto slowest = std::ranges::max_element(microseconds);
  const auto fastest = std::ranges::min_element(microseconds);
  const auto rank = [&](auto it) { return it - microseconds.begin(); };
  if (*slowest == *fastest) return head + fmt::format("  {:.2f} us on every rank\n", *slowest);
  return head + fmt::format("  {:.2f} us on rank {} to {:.2f} us on rank {}, which follows\n",
                            *fastest, rank(fastest), *slowest, rank(slowest));
}

}  // namespace tilewright::session
