// A program of one statement, with a formula that can be wrong.
#pragma once

#include <string>

#include "tilewright/catalog/catalog.h"

namespace tilewright::cli {

// y = x + 1, compared with a formula that is right for `wrong` = 0.
catalog::ProgramDef plus_one(std::string name, int wrong = 0);

}  // namespace tilewright::cli
