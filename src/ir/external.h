// Kernels whose bodies are not in the program: they are written in another language, and only
// their signature is known. A call is the only statement of its scope. The directions of the
// parameters define what the kernel does to its arguments; no executor can run it.
#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/core_kind.h"
#include "tilewright/ir/op.h"
#include "tilewright/ir/types.h"

namespace tilewright::ir {

struct External {
  struct Parameter {
    std::string name;
    bool scalar = false;
    DType dtype = DType::Index;           // of a scalar
    Direction direction = Direction::In;  // of a tensor
  };

  std::string name;
  CoreKind core = CoreKind::Vector;
  std::vector<Parameter> parameters;
  Place place;
};

struct ExternalCall {
  struct Array {
    VarId var;
    Direction direction = Direction::In;  // as declared

    bool reads() const { return direction != Direction::Out; }
    bool writes() const { return direction != Direction::In; }
  };

  ExternalId kernel;                   // in Program::externals
  std::vector<Array> arrays;           // one per tensor among the parameters, in their order
  std::vector<ScalarOperand> scalars;  // the same for the others
  Place place;
};

}  // namespace tilewright::ir
