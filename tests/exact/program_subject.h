// A program of a catalog, configured and compiled for a machine, with the inputs it defines.
#pragma once

#include <map>

#include "support.h"
#include "tilewright/catalog/catalog.h"

namespace exact_test {

using Set = std::map<std::string, int64_t>;

struct Configuration {
  std::string shape = {};  // empty: the first
  Set set = {};
  double memory = 1;  // part of each of the machine's memories that there is
};

// `platform` as the command line names it: a2a3sim.
Subject make_subject(const catalog::ProgramDef& def, const std::string& platform,
                     const Configuration& configuration = {});

}  // namespace exact_test
