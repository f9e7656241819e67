// Arrays for runs whose results are compared: each run has its own outputs and state and shares the
// inputs.
#pragma once

#include <cstring>
#include <vector>

#include "tilewright/ir/bindings.h"
#include "tilewright/ir/program.h"

namespace tilewright::session {

// The caller's inputs, with its own arrays for everything that is written.
class Sandbox {
 public:
  Sandbox(const ir::Program& program, const ir::Bindings& outside) : outside_(outside) {
    bindings_ = outside;
    own_.resize(outside.arrays.size());
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (!outside.arrays[i] || program.params[i].direction == ir::Direction::In) continue;
      own_[i] = outside.arrays[i]->clone();
      bindings_.arrays[i] = &own_[i];
    }
  }

  const ir::Bindings& bindings() const { return bindings_; }
  const HostArray& array(std::size_t param) const { return own_[param]; }
  bool writes(std::size_t param) const { return own_[param].size() > 0; }

  void reset() {
    for (std::size_t i = 0; i < own_.size(); ++i)
      if (writes(i))
        std::memcpy(own_[i].data(), outside_.arrays[i]->data(),
                    static_cast<std::size_t>(own_[i].byte_size()));
  }

 private:
  const ir::Bindings& outside_;
  ir::Bindings bindings_;
  std::vector<HostArray> own_;
};

}  // namespace tilewright::session
