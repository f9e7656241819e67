// Predictions written as recordings, for tests that read them again.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "../temporary_directory.h"
#include "tilewright/base/files.h"
#include "tilewright/data/program_file.h"
#include "tilewright/device/directory.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/programs/tour.h"
#include "tilewright/session/device_run.h"
#include "tilewright/session/records.h"

namespace device_files {

using namespace tilewright;

// A program of the catalog, or of a file below tests/.
inline catalog::ProgramDef program(const std::string& name) {
  if (name == "tour") return programs::tour();
  if (name.ends_with(".py"))
    return data::program_from_file(std::string(TILEWRIGHT_SOURCE) + "/tests/" + name, {});
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return def;
  throw std::runtime_error(name);
}

// The smallest shape, on a2a3sim.
inline session::Request request_for(const catalog::ProgramDef& def, const std::string& rules = "") {
  session::Request r = session::request_for("a2a3sim");
  if (std::ranges::find(def.shapes, "tiny") != def.shapes.end()) r.shape = "tiny";
  r.rules = rules;
  return r;
}

// The files of one prediction, in a directory of their own.
class WrittenFiles {
 public:
  WrittenFiles(const session::TimedRun& run, device::RecordsForm form, int level) {
    for (const device::TextFile& f : session::records(run, form, level))
      AtomicFile(directory_ / f.name).commit(f.text);
  }
  device::Profile read() const { return device::read_profile(directory_.path.string()); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace device_files
