// A directory of emitted files, written whole or not at all.
#pragma once

#include <string>
#include <vector>

#include "tilewright/base/atomic_directory.h"
#include "tilewright/emit/emit.h"

namespace tilewright::emit {

class Directory {
 public:
  // UserError when it cannot be written, or holds what emit did not write.
  explicit Directory(const std::string& directory);

  void write(const std::vector<File>& files);

 private:
  AtomicDirectory directory_;
};

}  // namespace tilewright::emit
