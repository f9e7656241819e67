// Does a changed program still compute what the original does? Both run on golden with the same
// inputs, and every output is compared within the program's own tolerance.
#pragma once

#include <string>
#include <vector>

#include "tilewright/harness/compare.h"
#include "tilewright/harness/request.h"

namespace tilewright::improve {

struct OutputMatch {
  std::string name;
  harness::Comparison comparison;
};

std::vector<OutputMatch> compare_results(const catalog::ProgramDef& def, const harness::Request& request,
                                         const ir::Program& original, const ir::Program& changed);

}  // namespace tilewright::improve
