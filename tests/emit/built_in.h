// Built-in programs by name.
#pragma once

#include <string>

#include "tilewright/cli/builtin.h"

namespace emit_test {

inline const tilewright::catalog::ProgramDef& built_in(const std::string& name) {
  static const tilewright::catalog::Catalog catalog = tilewright::cli::builtin_catalog();
  return catalog.find(name);
}

}  // namespace emit_test
