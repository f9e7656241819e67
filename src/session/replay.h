// Inputs read from files instead of being generated: those of a recorded run, with its choices and
// expected values, or a directory of .npy files made anywhere.
#pragma once

#include <map>
#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/data/data_dir.h"
#include "tilewright/session/request.h"

namespace tilewright::session {

class Replay {
 public:
  // UserError when there is no such directory, or it holds a recording of another program.
  Replay(const std::string& directory, const std::string& program);

  // The recording's choices, unless the user chooses otherwise now.
  void apply_to(Request& request) const;
  // UserError that names every array without a file, and every scalar without one or a value in
  // `given`.
  void require_every_input(const ir::Program& program,
                           const std::map<std::string, double>& given) const;
  // Files that do not fit are reported to `diagnostics`.
  catalog::Arrays inputs(const ir::Program& program, Diagnostics& diagnostics) const;
  // Values from files where they exist, otherwise from `given`.
  std::map<std::string, double> scalars(const ir::Program& program,
                                        std::map<std::string, double> given) const;
  // Whether the directory is a recording with expected outputs.
  bool has_expected() const;
  catalog::Arrays expected(const ir::Program& program, Diagnostics& diagnostics) const;

  const data::DataReader& files() const { return files_; }

 private:
  data::DataReader files_;
};

}  // namespace tilewright::session
