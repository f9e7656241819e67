// The tensor specs of a program: the list from which its author makes inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/base/array.h"
#include "tilewright/frontend/evaluate/modules.h"
#include "tilewright/frontend/frontend.h"

namespace tilewright::frontend {

struct TensorSpec {
  std::string name;
  Shape shape;                 // empty when it cannot be computed
  std::optional<DType> dtype;  // absent when it is not one of ours
  bool scalar = false;
  double value = 0;                 // of a scalar
  std::optional<Initialiser> init;  // zeros when the spec gives none
  bool initialised_output = false;  // marked as an output, and given initial values all the same
  std::string unread;               // not empty: an initialiser that is not understood
  std::string unread_shape;         // not empty: a shape that is not understood
  Place place;
};

// Runs the main part of the file as far as it goes, once: which programs it builds and starts, and
// with what.
void run_main_part(World& world, Modules& modules);

struct Specs {
  std::vector<TensorSpec> list;
  bool started = false;  // the main part starts the program
  std::string of;        // not empty: they are those of another program, which it starts instead
  bool compiles = false;  // it only compiles it: the elements of its tensors mean nothing
  std::string unread;    // not empty: it starts the program with specs that are not understood
  std::string stopped;   // not empty: it raised something before it could start the program
};

// What the main part of the file starts its programs with, else what its spec functions return; of
// several the list that names the most parameters of `program`. The names of the file then stand
// for what they stood for when the program was started.
Specs read_specs(World& world, Modules& modules, const Stmt& program);

}  // namespace tilewright::frontend
