// The arrays and scalars a program is run on: generated from the ProgramDef, each tensor from a
// random stream of its own.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "tilewright/catalog/catalog.h"
#include "tilewright/ir/bindings.h"

namespace tilewright::data {

// Parameters whose elements the program reads as scalars, directly or through views. They decide
// which tasks exist, so unrolling needs their values and no others.
std::set<std::string> parameters_read_as_scalars(const ir::Program& program);

// Fills In and InOut arrays; Out arrays hold poison. `wanted` selects parameters by name; null =
// all. `progress` receives the fraction of bytes done.
catalog::Arrays generate(const catalog::ProgramDef& def, const catalog::Config& config,
                         const ir::Program& program, uint64_t seed,
                         const std::set<std::string>* wanted = nullptr,
                         const std::function<void(double)>& progress = {});

// Values of the scalar parameters as the ProgramDef gives them.
std::map<std::string, double> scalar_values(const catalog::ProgramDef& def,
                                            const catalog::Config& config);

// Parameters without an array stay null. UserError when a scalar has no value, or when the value of
// an integer scalar is not whole. `arrays` must outlive the bindings.
ir::Bindings make_bindings(const ir::Program& program, catalog::Arrays& arrays,
                           const std::map<std::string, double>& scalars);

}  // namespace tilewright::data
