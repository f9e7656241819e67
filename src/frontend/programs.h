// The programs that stand in a file.
#pragma once

#include <string>
#include <vector>

#include "tilewright/frontend/file.h"

namespace tilewright::frontend {

struct Found {
  const Stmt* program = nullptr;
  std::vector<const Stmt*> builders;  // the functions around it, outermost first
};

// Those that stand for themselves, in the order of the file.
std::vector<Found> whole_programs(const Parsed& parsed);
std::vector<std::string> names_of(const std::vector<Found>& programs);
// `wanted` may be empty when there is only one; UserError when it is none of them.
Found choose_program(const Parsed& parsed, const std::string& wanted);

}  // namespace tilewright::frontend
