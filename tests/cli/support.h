// How the tests call the command line: a line of words, answered with a code and two texts.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "../temporary_directory.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/cli/cli.h"
#include "tilewright/programs/tour.h"

namespace tilewright::cli {

namespace fs = std::filesystem;
using catalog::Arrays;
using catalog::Catalog;
using catalog::Config;
using catalog::ProgramDef;

struct Outcome {
  int code;
  std::string out, err;
};

inline Outcome call(const std::string& line, const Catalog& catalog = {programs::tour()},
                    const Terminal& terminal = {}) {
  std::istringstream words(line);
  std::vector<std::string> args;
  for (std::string word; words >> word;) args.push_back(word);
  std::ostringstream out, err;
  const int code = run_cli(args, catalog, out, err, terminal);
  return {code, out.str(), err.str()};
}

// With the programs of the executable.
inline Outcome ask(const std::string& line) { return call(line, builtin_catalog()); }

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tilewright::cli
