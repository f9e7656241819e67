// Writes the data of a run for --save-data while the run proceeds. Replay reads it.
#pragma once

#include <string>

#include "tilewright/data/data_dir.h"
#include "tilewright/session/session.h"

namespace tilewright::session {

// Without `commit` nothing remains on disk.
class Recording {
 public:
  // UserError when the directory cannot be written, or holds something else.
  explicit Recording(const std::string& directory) : writer_(directory) {}

  void inputs(Session& session);
  void expected(const catalog::Arrays& arrays);
  void outputs(Session& session);
  void commit(const Session& session);

 private:
  data::DataWriter writer_;
};

}  // namespace tilewright::session
