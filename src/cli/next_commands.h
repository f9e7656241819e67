// Suggested next commands for the pages: command lines to copy, with the machine, sizes and
// settings that the page was made with.
#pragma once

#include "tilewright/cli/context.h"
#include "tilewright/report/page.h"

namespace tilewright::cli {

// A list of {"line", "what"}.
report::Object next_commands(const Context& c, const std::string& operand);

}  // namespace tilewright::cli
