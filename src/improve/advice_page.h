// Advice as the data of a page: findings with their gains, and what each mechanical change does to
// the program's text.
#pragma once

#include "tilewright/improve/advice.h"
#include "tilewright/report/page.h"

namespace tilewright::improve {

// Of a program without errors. `seconds` is what the advice took.
report::Object advice_data(const Advice& advice, double seconds);

}  // namespace tilewright::improve
