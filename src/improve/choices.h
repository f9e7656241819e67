// Values to try for constants of a file and for keys without stated choices. A constant shapes
// tiles, chunks or stages if another value gives another program with the same parameters; others
// are left alone.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/catalog/catalog.h"
#include "tilewright/ir/forward.h"

namespace tilewright::improve {

// Multiples and divisors near `value` by powers of two, and what divides the same sizes and trip
// counts of the program that `value` divides; ascending, `value` among them.
std::vector<int64_t> values_near(int64_t value, const ir::Program& program);

// Whether both have the same parameters: names, types, directions, in the same order.
bool same_parameters(const ir::Program& a, const ir::Program& b);

// `config` with choices for every literal that shapes the program, and if no key has choices, for
// every key that does. Those keys are marked as literals.
catalog::Config with_derived_choices(const catalog::ProgramDef& def, const catalog::Config& config);

}  // namespace tilewright::improve
