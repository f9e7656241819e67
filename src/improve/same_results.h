// Does a changed program still compute what the original does? Both run on this CPU, which computes
// golden's bits, with the same inputs. Every output is compared within the program's own tolerance
// or, if that is coarser, the rounding of sums in another order.
#pragma once

#include <string>
#include <vector>

#include "tilewright/session/compare.h"
#include "tilewright/session/request.h"

namespace tilewright::improve {

struct OutputMatch {
  std::string name;
  session::Comparison comparison;
};

bool all_match(const std::vector<OutputMatch>& outputs);

std::vector<OutputMatch> compare_results(const catalog::ProgramDef& def,
                                         const session::Request& request,
                                         const ir::Program& original, const ir::Program& changed);

}  // namespace tilewright::improve
