// Which execution of an instruction a wait is for.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/golden/exact/environment.h"

namespace tilewright::golden::exact {

class Executions {
 public:
  explicit Executions(const ir::LoweredKernel& code);

  // The instance to wait for, if there was one. `env` is the waiting instruction's, after it has
  // turned its storage to the next copy.
  std::optional<int> awaited(const ir::Wait& wait, const Environment& env) const;
  void record(int instruction, int instance, const Environment& env);

 private:
  // The last execution for each copy, by the rotations of the storage modulo copies.
  struct Trace {
    int storage = -1;
    int copies = 1;
    std::vector<int> last;

    std::size_t residue(const Environment& env) const {
      return copies == 1 ? 0 : static_cast<std::size_t>(env.rotations(storage) % copies);
    }
  };

  std::vector<std::vector<Trace>> traces_;  // by instruction that is waited for
};

}  // namespace tilewright::golden::exact
