// Program files and their modules as one text: what is fuzzed is everything from the files to the
// compiled program.
#pragma once

#include <string>
#include <vector>

namespace fuzz_files {

// A line "#: NAME" starts the file NAME, one of a few; what stands before the first is main.py.
void run_modules(const std::string& bytes);
std::vector<std::string> module_seeds();

}  // namespace fuzz_files
