// How a runtime treats each argument of a submission. The original decides this from the text of
// the orchestration, not from the tasks that it makes: a writer counts as an earlier one when it is
// an earlier statement, so iterations of one parallel loop are never earlier writers of each other.
#pragma once

#include "tilewright/ir/forward.h"
#include "tilewright/ir/submit_role.h"
#include "tilewright/platform/platform.h"

namespace tilewright::compile {

using ir::SubmitRole;
using ir::SubmitRoles;

SubmitRoles submit_roles(const ir::Plan& plan, const platform::RuntimeRules& rules);

}  // namespace tilewright::compile
