// Names for many new variables: what Program::unique_name would give, without a search for each.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "tilewright/ir/program.h"

namespace tilewright::ir {

class UniqueNames {
 public:
  explicit UniqueNames(const Program& program);
  std::string next(const std::string& base);  // and takes it

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> tried_;  // by base: numbers that are taken
};

}  // namespace tilewright::ir
