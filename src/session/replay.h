// A recorded run, read instead of generating inputs and computing the formula.
#pragma once

#include <map>
#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/data/data_dir.h"
#include "tilewright/session/request.h"

namespace tilewright::session {

class Replay {
 public:
  // UserError when the directory holds no recording, or one of another program.
  Replay(const std::string& directory, const std::string& program);

  // The recording's choices, unless the user chooses otherwise now.
  void apply_to(Request& request) const;
  catalog::Arrays inputs(const ir::Program& program) const;
  const std::map<std::string, double>& scalars() const { return reader_.manifest().scalars; }
  // Those that the recording has.
  catalog::Arrays expected(const ir::Program& program) const;

 private:
  data::DataReader reader_;
};

}  // namespace tilewright::session
