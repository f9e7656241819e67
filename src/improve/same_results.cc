#include "tilewright/improve/same_results.h"

#include "tilewright/golden/golden.h"
#include "tilewright/harness/inputs.h"

namespace tilewright::improve {
namespace {

catalog::Arrays results(const catalog::ProgramDef& def, const harness::Request& request,
                        const ir::Program& program) {
  const catalog::Config config = harness::configure(def, request);
  catalog::Arrays arrays = harness::generate(def, config, program, request.seed);
  const ir::Bindings bindings =
      harness::make_bindings(program, arrays, harness::scalar_values(def, config));
  golden::run_program(program, bindings);
  return arrays;
}

}  // namespace

std::vector<OutputMatch> compare_results(const catalog::ProgramDef& def, const harness::Request& request,
                                         const ir::Program& original, const ir::Program& changed) {
  const catalog::Arrays before = results(def, request, original);
  const catalog::Arrays after = results(def, request, changed);
  std::vector<OutputMatch> out;
  for (const ir::Param& p : original.params) {
    const ir::Var& v = original[p.var];
    if (v.scalar || p.direction == ir::Direction::In) continue;
    out.push_back({v.name, harness::compare(after[v.name], before[v.name], def.tolerance(v.name))});
  }
  return out;
}

}  // namespace tilewright::improve
