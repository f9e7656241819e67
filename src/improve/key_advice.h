// Advice about the keys of a program: a value that gains by itself, and what a search finds.
#pragma once

#include "tilewright/improve/study.h"

namespace tilewright::improve {

// The best value of every key that gains, and the result of a short search if it does better than
// any key by itself. Nothing for a program without keys to search.
Findings key_findings(const catalog::ProgramDef& def, const session::Request& request,
                      double now_us, Deadline deadline);

}  // namespace tilewright::improve
