#include "tilewright/ir/unique_names.h"

#include <fmt/format.h>

namespace tilewright::ir {

UniqueNames::UniqueNames(const Program& program) {
  for (const Var& v : program.vars) taken_.insert(v.name);
}

std::string UniqueNames::next(const std::string& base) {
  if (taken_.insert(base).second) return base;
  for (int& i = tried_[base];;) {
    std::string name = fmt::format("{}_{}", base, ++i);
    if (taken_.insert(name).second) return name;
  }
}

}  // namespace tilewright::ir
