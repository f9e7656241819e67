// What commands that change programs say about a change: whether values stayed, and the diff.
#pragma once

#include <vector>

#include "tilewright/cli/context.h"
#include "tilewright/improve/same_results.h"

namespace tilewright::cli {

// One line for each output; false when one differs.
bool print_outputs(const Context& c, std::ostream& out,
                   const std::vector<improve::OutputMatch>& outputs);
// What makes the prediction of the changed program doubtful.
void print_caveats_of_result(const Context& c, std::ostream& out, const Diagnostics& caveats);
// A unified diff, in colours on a terminal.
void print_diff(const Context& c, std::ostream& out, const std::string& diff);

}  // namespace tilewright::cli
