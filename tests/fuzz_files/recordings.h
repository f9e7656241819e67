// The files that a runtime records, one by one and all of a run together.
#pragma once

#include <string>
#include <vector>

namespace fuzz_files {

// A line "#: NAME" starts the file NAME; what stands before the first is chip_swimlane_records.json.
void run_recording(const std::string& bytes);
std::vector<std::string> recording_seeds();

}  // namespace fuzz_files
