#include "tilewright/improve/same_results.h"

#include "tilewright/data/inputs.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/program.h"

namespace tilewright::improve {
namespace {

catalog::Arrays results(const catalog::ProgramDef& def, const session::Request& request,
                        const ir::Program& program) {
  const catalog::Config config = session::configure(def, request);
  catalog::Arrays arrays = data::generate(def, config, program, request.seed);
  const ir::Bindings bindings =
      data::make_bindings(program, arrays, data::scalar_values(def, config));
  golden::run_program(program, bindings);
  return arrays;
}

}  // namespace

std::vector<OutputMatch> compare_results(const catalog::ProgramDef& def,
                                         const session::Request& request,
                                         const ir::Program& original, const ir::Program& changed) {
  const catalog::Arrays before = results(def, request, original);
  const catalog::Arrays after = results(def, request, changed);
  std::vector<OutputMatch> out;
  for (const ir::Param& p : original.params) {
    const ir::Var& v = original[p.var];
    if (v.scalar || p.direction == ir::Direction::In) continue;
    out.push_back({v.name, session::compare(after[v.name], before[v.name], def.tolerance(v.name))});
  }
  return out;
}

}  // namespace tilewright::improve
