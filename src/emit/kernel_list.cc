#include "tilewright/emit/kernel_list.h"

#include <fmt/format.h>

namespace tilewright::emit {

using namespace ir;

std::vector<Function> functions(const Plan& plan) {
  std::vector<Function> out;
  const auto add = [&](KernelId id, CoreSide side, const std::string& suffix) {
    Function f{id, side, plan.kernel(id).name + suffix, {}};
    f.path = fmt::format("kernels/{}/{}.cpp", f.core_type(), f.name);
    out.push_back(std::move(f));
  };
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    const KernelId id(i);
    switch (plan.kernel(id).core) {
      case CoreKind::Cube: add(id, CoreSide::Cube, ""); break;
      case CoreKind::Vector: add(id, CoreSide::Vector, ""); break;
      case CoreKind::Mixed:
        add(id, CoreSide::Cube, "_aic");
        add(id, CoreSide::Vector, "_aiv");
        break;
    }
  }
  return out;
}

}  // namespace tilewright::emit
