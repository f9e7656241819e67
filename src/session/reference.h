// A program without a formula of its own can be compared with that of another program whose
// parameters have the same names, types and shapes.
#pragma once

#include <string>

#include "tilewright/catalog/catalog.h"

namespace tilewright::session {

// Gives `def` the formula, the tolerances and, where `def` has none, the inputs of `reference`, at
// the named shape whose parameters fit. False when none fits; with `required` that is a UserError.
bool use_reference(catalog::ProgramDef& def, const catalog::ProgramDef& reference, bool required);

// A file that `show` wrote names the program it is a listing of: the reference, if it fits.
void use_original(catalog::ProgramDef& def, const catalog::Catalog& catalog);

}  // namespace tilewright::session
