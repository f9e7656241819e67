// Small files of runtimes, for tests of their readers.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "../temporary_directory.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/device/directory.h"

namespace device_files {

using namespace tilewright;

// A cube core and two vector cores; a cube task, and a vector task that waits for it.
inline const std::string kChip = R"({
  "chip_swimlane_level": 2,
  "metadata": {"clock_freq_hz": 50000000, "num_cores": 3, "core_types": ["aic", "aiv", "aiv"]},
  "aicore_tasks": [[0, 1, 7, 1100, 1200, 10], [2, 2, 9, 1300, 1350, 5]],
  "aicpu_tasks": [[0, 7, 1050, 1210], [2, 9, 1250, 1400]]
})";

inline const std::string kDeps = R"({"tasks": [
  {"task_id": "0", "scope": "auto", "kernel_ids": [-1, -1, -1], "block_num": 1, "args": []},
  {"task_id": "1", "scope": "auto", "kernel_ids": [0, -1, -1], "block_num": 1, "args": []},
  {"task_id": "2", "scope": "auto", "kernel_ids": [-1, 1, -1], "block_num": 1, "args": []}],
  "tensors": [],
  "edges": [{"pred": "0", "succ": "1", "arg": 0, "source": "creator", "flags": ["wait", "retain"]},
            {"pred": "1", "succ": "2", "arg": 0, "source": "tensormap", "flags": ["wait"]}]})";

inline const std::string kNames =
    R"({"level": 2, "orchestrator_name": "mine",
        "callable_id_to_name": {"0": "product", "1": "norm"}})";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no " + from);
  return text.replace(at, from.size(), to);
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A directory with these files.
class Recording {
 public:
  explicit Recording(const std::map<std::string, std::string>& files) {
    for (const auto& [name, text] : files) AtomicFile(directory_ / name).commit(text);
  }
  std::string path() const { return directory_.path.string(); }
  device::Profile read() const { return device::read_profile(path()); }
  // What the reader says of the files, or of one of them: "what / law".
  std::string refusal(const std::string& file = "") const {
    try {
      device::read_profile(file.empty() ? path() : (directory_ / file));
    } catch (const UserError& e) {
      return e.diagnostic().text();
    }
    return "";
  }

 private:
  TemporaryDirectory directory_;
};

inline Recording chip(const std::string& records = kChip) {
  return Recording({{"chip_swimlane_records.json", records},
                    {"deps.json", kDeps},
                    {"name_map_mine.json", kNames}});
}

}  // namespace device_files
