// Does a changed program still compute what the original does? Both run on golden with the same
// inputs, and every output is compared within the program's own tolerance.
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

std::vector<OutputMatch> compare_results(const catalog::ProgramDef& def,
                                         const session::Request& request,
                                         const ir::Program& original, const ir::Program& changed);

}  // namespace tilewright::improve
