#include "prepared.h"

#include "tilewright/base/check.h"
#include "tilewright/compile/compile.h"
#include "tilewright/harness/inputs.h"
#include "tilewright/harness/request.h"

namespace agree_test {

using namespace tilewright;

Prepared prepare(const catalog::ProgramDef& def, const std::string& shape,
                 const std::map<std::string, int64_t>& set) {
  harness::Request request = harness::request_for("cpu");
  request.shape = shape;
  for (const auto& [key, value] : set) request.set[key] = value;
  const catalog::Config config = harness::configure(def, request);
  Prepared p;
  p.program = harness::build(def, config);
  Diagnostics d;
  p.plan = compile::compile(p.program, request.platform.platform, {}, d);
  check(p.plan.has_value(), "compiles");
  p.arrays = harness::generate(def, config, p.program, 1);
  p.graph = compile::unroll(*p.plan, harness::make_bindings(p.program, p.arrays, {}), d);
  check(p.graph.has_value(), "unrolls");
  return p;
}

}  // namespace agree_test
