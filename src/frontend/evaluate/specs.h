// The tensor specs of a file: the list from which its author makes inputs. Names, shapes, outputs
// and the usual initialisers are read; whatever else stands in that function is Python and is not.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/frontend/evaluate/constants.h"
#include "tilewright/frontend/frontend.h"

namespace tilewright::frontend {

struct TensorSpec {
  std::string name;
  Shape shape;                 // empty when it cannot be computed
  std::optional<DType> dtype;  // absent when it is not one of ours
  bool output = false;
  bool scalar = false;
  double value = 0;                 // of a scalar
  std::optional<Initialiser> init;  // zeros when the spec gives none
  std::string unread;               // not empty: an initialiser that is not understood
  At at;
};

// The specs of the first function of the file that has "spec" in its name.
std::vector<TensorSpec> read_specs(const Body& file, const Source& source, const Choices& choices,
                                   Constants& module);

}  // namespace tilewright::frontend
