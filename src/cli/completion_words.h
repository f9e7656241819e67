// What the completion scripts of every shell offer.
#pragma once

#include <string>
#include <vector>

#include "tilewright/catalog/catalog.h"
#include "tilewright/cli/commands.h"

namespace tilewright::cli {

// The words that a flag's value can be; empty for numbers and files.
std::vector<std::string> values_of(const Flag& flag, const catalog::Catalog& catalog);
bool names_a_file(const Flag& flag);
// The same of a command's operands, such as PROGRAM, which is a name or a Python file.
std::vector<std::string> operands_of(const Command& command, const catalog::Catalog& catalog);
bool takes_a_file(const Command& command);

std::string fish_script(const std::string& name, const catalog::Catalog& catalog);

}  // namespace tilewright::cli
