// Values of a program in words: what a hover says of a name and a hint adds to it.
#pragma once

#include <optional>
#include <string>

#include "tilewright/ir/plan.h"
#include "tilewright/lsp/analysis.h"

namespace tilewright::lsp {

// "Vec": the memories that a tensor or tile lives in, as far as the plan knows.
std::string memory_text(const session::Session& s, ir::VarId var);
// "[16, min(64, n - i * 64)]": the valid part of a tile; empty when all of it is.
std::string valid_text(const ir::Program& program, ir::VarId var);
// The statement that makes a value first; null when it is a parameter.
const ir::Op* maker_of(const ir::Program& program, ir::VarId var);

// A few lines of Markdown.
std::string value_markdown(const session::Session& s, const Sighting& sighting);
// One short line; empty when there is nothing worth a hint.
std::string value_hint(const session::Session& s, const Sighting& sighting);

}  // namespace tilewright::lsp
