#include "tilewright/emit/emit.h"

#include <fmt/format.h>

#include "tilewright/emit/companions.h"
#include "tilewright/emit/kernel/kernel_file.h"
#include "tilewright/emit/kernel/queues.h"
#include "tilewright/emit/kernel_list.h"
#include "tilewright/emit/orchestration/orchestration.h"

namespace tilewright::emit {

using namespace ir;

Emission emit(const Plan& plan, const Options& options) {
  Emission out;
  const std::vector<Function> list = functions(plan);
  for (const Function& f : list) {
    const Kernel& k = plan.kernel(f.kernel);
    Refusals refusals(fmt::format("program {}, kernel {}", plan.program.name, k.name));
    if (k.core == CoreKind::Mixed && f.side == CoreSide::Cube)
      refuse_what_sides_share(plan.program, k, refusals);
    out.files.push_back({f.path, kernel_file(plan, f.kernel, f.side, refusals)});
    out.refusals.append(refusals.list());
  }
  Refusals refusals(fmt::format("program {}", plan.program.name));
  out.files.push_back({"orchestration.cpp", orchestration_file(plan, options, list, refusals)});
  out.refusals.append(refusals.list());
  if (out.refusals.has_errors()) {
    out.files.clear();
    return out;
  }
  out.files.push_back({fmt::format("name_map_{}.json", plan.program.name), name_map(plan, list)});
  out.files.push_back({"driver.py", driver(plan, options, list)});
  out.files.push_back({"README.md", readme(plan, options, list)});
  return out;
}

}  // namespace tilewright::emit
