// `import pypto.language as pl`: a file is read without it, but Python would stop at the first
// `pl.`.
#pragma once

#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/frontend/evaluate/environment.h"
#include "tilewright/frontend/programs.h"

namespace tilewright::frontend {

// Warns when `pl` is another module. `home` holds the names around the program.
void warn_of_language_import(const Parsed& main, const Environment& home, const Found& found,
                             Diagnostics& diagnostics);
// The other name that the file gives pypto.language; empty when there is none.
std::string other_name_of_language(const Parsed& parsed);

}  // namespace tilewright::frontend
