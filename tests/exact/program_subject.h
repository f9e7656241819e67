// A program of a catalog, configured and compiled for a machine, with the inputs it defines.
#pragma once

#include <map>

#include "support.h"
#include "tilewright/catalog/catalog.h"

namespace exact_test {

using Set = std::map<std::string, int64_t>;

// `platform` as the command line names it: a2a3sim.
Subject make_subject(const catalog::ProgramDef& def, const std::string& platform,
                     const std::string& shape = "", const Set& set = {});

}  // namespace exact_test
