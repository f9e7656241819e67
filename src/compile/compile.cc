// The one page that orders the passes.
#include "tilewright/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/compile/verify/verify.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using Pass = void (*)(ir::Plan&, PassContext&);

struct Entry {
  PassInfo info;
  Pass run;
};

const std::vector<Entry>& pipeline() {
  static const std::vector<Entry> kPipeline{
      // First, because every later pass may then assume that a loop is a loop.
      {{"expand_unroll", "unroll loops become copies of their body"}, expand_unroll},
      // Before anything looks at scopes: afterwards one scope execution is one task.
      {{"split_chunks", "auto scopes become orchestrator loops over plain scopes"}, split_chunks},
      // Needs the final scopes; makes views that outlining then passes as arguments.
      {{"place_assembles", "values that are assembled once are created in place"}, place_assembles},
      // Everything on chip is now inside a kernel, everything shared is in GM.
      {{"outline_scopes", "scopes become kernels with arguments; GM access is explicit"},
       outline_scopes},
      // Needs explicit loads and stores: they are where values enter and leave the chip.
      {{"place_tiles", "tiles get memories, moves and sides"}, place_tiles},
      // Needs memories: what is cut lies in Mat. Its parts are views, and need addresses of their
      // own.
      {{"tile_products", "products too large for Left, Right and Acc are cut"}, tile_products},
      // Needs final memories: a value and its view lie in the same one.
      {{"find_views", "values that can lie in their source's memory become views"}, find_views},
      // Every buffer exists and its lifetime is fixed.
      {{"allocate", "tiles get addresses; capacity is checked"}, allocate},
      // Last: what an instruction waits for follows from addresses.
      {{"lower", "kernels become instructions with units, operands and waits"}, lower},
  };
  return kPipeline;
}

// After a pass the types must still hold; if not, the pass is wrong, not the user.
void verify_after(const Entry& pass, const ir::Plan& plan, const platform::Platform& platform) {
  Diagnostics found;
  PassContext context{platform, found};
  verify_types(plan.program, context);
  ir::Program view;  // of one kernel after the other; the variables are all of theirs
  view.name = plan.program.name;
  view.vars = plan.program.vars;
  for (const ir::Kernel& k : plan.kernels) {
    view.body = k.body;
    verify_types(view, context);
  }
  if (found.has_errors())
    bug(fmt::format("pass {} broke the program:\n{}", pass.info.name, found.text()));
}

}  // namespace

const std::vector<PassInfo>& passes() {
  static const std::vector<PassInfo> kInfo = [] {
    std::vector<PassInfo> infos;
    for (const Entry& e : pipeline()) infos.push_back(e.info);
    return infos;
  }();
  return kInfo;
}

std::optional<ir::Plan> compile(const ir::Program& program, const platform::Platform& platform,
                                const Options& options, Diagnostics& diagnostics) {
  PassContext context{platform, diagnostics};
  diagnostics.append(program.diagnostics);
  if (program.diagnostics.has_errors()) return std::nullopt;  // its types cannot be trusted
  verify_structure(program, context);
  const std::size_t ill_formed = diagnostics.error_count();
  verify_types(program, context);
  verify_encodings(program, context);
  verify_scalars(program, context);
  // Offsets of an op with a wrong number of them say nothing.
  const bool typed = diagnostics.error_count() == ill_formed;
  if (typed) verify_bounds(program, context);
  if (!diagnostics.has_errors()) verify_results(program, context);
  if (diagnostics.has_errors()) return std::nullopt;

  ir::Plan plan;
  plan.program = program;
  plan.platform = platform.name;
  for (const Entry& pass : pipeline()) {
    pass.run(plan, context);
    if (diagnostics.has_errors()) return std::nullopt;
    verify_after(pass, plan, platform);
    if (options.observe) options.observe(pass.info.name, plan);
  }
  check_budget(plan, options.budget, context);
  if (diagnostics.has_errors()) return std::nullopt;
  return plan;
}

}  // namespace tilewright::compile
