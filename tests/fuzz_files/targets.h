// What is fuzzed: everything that reads a file from elsewhere. A target takes any bytes and either
// succeeds or throws UserError; anything else that happens is a bug.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace fuzz_files {

struct Target {
  std::string name;
  std::function<void(const std::string& bytes)> run;
  std::vector<std::string> seeds;  // good files, to be changed
};

const std::vector<Target>& targets();

}  // namespace fuzz_files
