// What to type next, for the pages: lines to copy that go on from the program on the page, with the
// machine, the sizes and the settings it was looked at with.
#pragma once

#include "tilewright/cli/context.h"
#include "tilewright/report/page.h"

namespace tilewright::cli {

// A list of {"line", "what"}.
report::Object next_commands(const Context& c, const std::string& operand);

}  // namespace tilewright::cli
