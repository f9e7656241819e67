// How the tests call the command line: a line of words, answered with a code and two texts.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "../temporary_directory.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/cli/cli.h"
#include "tilewright/dsl/ops.h"
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

// y = x + 1, compared with a formula that is right for `wrong` = 0.
inline ProgramDef plus_one(std::string name, int wrong = 0) {
  ProgramDef def;
  def.name = std::move(name);
  def.summary = "adds one";
  def.build = [](const Config&) {
    dsl::Builder p("plus_one");
    const dsl::Tensor x = p.input("x", {4, 64}, DType::F32);
    const dsl::Tensor y = p.output("y", {4, 64}, DType::F32);
    {
      auto core = p.incore("all");
      dsl::assemble(y, dsl::add(dsl::slice(x, {4, 64}, {0, 0}), 1.0), {0, 0});
    }
    return p.finish();
  };
  def.formula = [wrong](const Config&, Arrays& io) {
    for (int64_t i = 0; i < io["x"].size(); ++i)
      io["y"].set(i, io["x"].at(i) + (i < wrong ? 2.0 : 1.0));
  };
  return def;
}

}  // namespace tilewright::cli
