// The diagnostics of a document in the form of the protocol.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tilewright/lsp/analysis.h"

namespace tilewright::lsp {

// The files that messages of an analysis can name.
std::set<std::string> files_of(const Analysis& a);

// The text of a file as it was when the analysis was made.
std::shared_ptr<const Lines> lines_of(const Analysis& a, const std::string& file);

// Diagnostics of the protocol by URI. An error in a module is reported in the module. The
// document's own URI is always present, with an empty list if it has no errors.
std::map<std::string, std::vector<Value>> diagnostics_of(const Analysis& a,
                                                         const Settings& settings, Encoding e);

}  // namespace tilewright::lsp
