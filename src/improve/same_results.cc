#include "tilewright/improve/same_results.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tilewright/ir/bindings.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/session/device_reads.h"
#include "tilewright/session/executor.h"
#include "tilewright/session/session.h"

namespace tilewright::improve {
namespace {

// The outputs of a program, computed on this CPU: the same bits as golden's, in a fraction of the
// time, which matters for layers at full size.
std::map<std::string, HostArray> results(const catalog::ProgramDef& def,
                                         const session::Request& request,
                                         const ir::Program& program) {
  session::Request here = session::request_for("cpu");
  here.shape = request.shape;
  here.set = request.set;
  here.seed = request.seed;
  session::Session s(def, here, program);
  const session::Executor cpu = session::cpu_executor({}, here.instructions);
  const bool ready = s.build() && s.compile() && s.generate_inputs(session::Inputs::All) &&
                     (session::learn_task_reads(s, cpu.exp), s.unroll());
  if (!ready) throw ProgramError(s.diagnostics().list().front());
  cpu.run(*s.plan(), *s.graph(), s.bindings());
  std::map<std::string, HostArray> out;
  for (const ir::Param& p : program.params) {
    const ir::Var& v = program[p.var];
    if (!v.scalar && p.direction != ir::Direction::In)
      out.emplace(v.name, std::move(s.arrays()[v.name]));
  }
  return out;
}

// The relative step of the coarsest float that the program computes with.
double rounding_step(const ir::Program& program) {
  double step = 0x1p-16;  // sums of FP32 in another order
  for (const ir::Var& v : program.vars) {
    if (v.dtype == DType::F16) step = std::max(step, 0x1p-10);
    if (v.dtype == DType::BF16) step = std::max(step, 0x1p-7);
  }
  return step;
}

double root_mean_square(const HostArray& a) {
  double sum = 0;
  for (double x : catalog::doubles(a)) sum += std::isfinite(x) ? x * x : 0;
  return std::sqrt(sum / static_cast<double>(std::max<int64_t>(1, a.size())));
}

// Other tiles add in another order, so what is computed may round the other way: by a step of the
// element, and where terms cancel, by a step of the terms, which are as large as other elements.
catalog::Tolerance of_rounding(const catalog::Tolerance& stated, double step,
                               const HostArray& expected) {
  if (!is_float(expected.dtype())) return {0, 0};
  return {std::max(stated.rtol, step), std::max(stated.atol, step * root_mean_square(expected))};
}

}  // namespace

bool all_match(const std::vector<OutputMatch>& outputs) {
  return std::ranges::all_of(outputs, [](const OutputMatch& o) { return o.comparison.passed(); });
}

std::vector<OutputMatch> compare_results(const catalog::ProgramDef& def,
                                         const session::Request& request,
                                         const ir::Program& original, const ir::Program& changed) {
  auto before = results(def, request, original);
  auto after = results(def, request, changed);
  const double step = rounding_step(original);
  std::vector<OutputMatch> out;
  for (const ir::Param& p : original.params) {
    const ir::Var& v = original[p.var];
    if (v.scalar || p.direction == ir::Direction::In) continue;
    const HostArray& expected = before.at(v.name);
    out.push_back({v.name, session::compare(after.at(v.name), expected,
                                            of_rounding(def.tolerance(v.name), step, expected))});
  }
  return out;
}

}  // namespace tilewright::improve
