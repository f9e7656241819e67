// A Program: named parameters, an orchestration (loops, ifs, scalar reads, GM tensors, views) and
// device scopes (tile ops). Variables are buffers: each has one type for life, and statements write
// them. Built by `dsl` or a front end, transformed by `compile`, executed by `golden`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/statements.h"
#include "tilewright/ir/types.h"

namespace tilewright::ir {

struct Program {
  std::string name;
  std::vector<Var> vars;
  std::vector<Param> params;
  std::vector<External> externals;  // kernels that it calls and that have no body here
  Block body;
  int64_t ranks = 1;  // devices that execute it together, each with its own number in `rank`
  VarId rank;         // a scalar parameter; not valid in a program of one device
  std::string dialect;      // the day its newest word came into use, "2026-05-15"; empty if unknown
  Diagnostics diagnostics;  // mistakes found while the program was being written

  Var& operator[](VarId v) { return vars[v.index()]; }
  const Var& operator[](VarId v) const { return vars[v.index()]; }
  VarId add_var(Var v);
  // A name not used by any other variable, derived from `base`.
  std::string unique_name(const std::string& base) const;
  const External& external(ExternalId e) const { return externals[e.index()]; }
  const Param* param_of(VarId v) const;
  std::optional<VarId> find(std::string_view name) const;
};

// Sets the variable of a Compute, or forgets it when an operand is unknown.
void execute(const Compute& compute, const Program& program, ScalarEnv& env);

}  // namespace tilewright::ir
