// A built-in program as text in which tile sizes have names, so that the exported file can be tuned
// and edited like one that somebody wrote: `MLP_N = 64` above the program, `MLP_N` inside it.
//
// Builders are C++ and know nothing of names in their numbers. Which numbers follow from a key
// shows when the key changes: the program is built with other values, and a number that changes
// with them is written as the product or quotient that it was found to be. A key is named only if
// the text with its constant changed reads as the very program that the builder makes with the key
// changed.
#pragma once

#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/ir/dialect.h"

namespace tilewright::results {

// The text of `ir::print` where no key can be named.
std::string text_with_constants(const catalog::ProgramDef& def, const catalog::Config& config,
                                const ir::Dialect& dialect = {});

}  // namespace tilewright::results
