// Programs of several ranks: the check for unsupported uses, and the text of their predictions.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/forward.h"

namespace tilewright::session {

// UserError for a program of several ranks: one device is executed here.
void require_one_rank(const ir::Program& program);

// "2 ranks, each predicted by itself: links between them are free\n  rank 0: 5.80 us ..."
std::string rank_times_text(const std::vector<double>& microseconds);

}  // namespace tilewright::session
