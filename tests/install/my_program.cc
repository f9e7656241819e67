// One tile program in a user's own project: y = 2 x, a row block per task.
#include <cstdio>

#include "tilewright/dsl/ops.h"

namespace tw = tilewright;
using namespace tilewright::dsl;

tw::ir::Program build_double() {
  Builder p("mine/double");
  const Tensor x = p.input("x", {64, 128}, tw::DType::F32);
  const Tensor y = p.output("y", {64, 128}, tw::DType::F32);
  for (Index i : p.parallel(p.exact_div(64, 16))) {
    auto core = p.incore("double");
    assemble(y, mul(slice(x, {16, 128}, {i * 16, 0}), 2.0), {i * 16, 0});
  }
  return p.finish();
}

int main() {
  const tw::ir::Program program = build_double();
  std::fputs(program.diagnostics.text().c_str(), stderr);
  std::printf("%s has %zu parameters\n", program.name.c_str(), program.params.size());
  return program.diagnostics.has_errors() ? 1 : 0;
}
