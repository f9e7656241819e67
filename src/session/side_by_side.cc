#include "tilewright/session/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/text.h"
#include "tilewright/ir/plan.h"
#include "tilewright/session/doubt.h"

namespace tilewright::session {
namespace {

constexpr std::size_t kMostNamed = 4;  // parameters told by name before the rest is counted

std::string some(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostNamed);
  std::string out = join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (names.size() > shown) out += fmt::format(" and {} more", names.size() - shown);
  return out;
}

std::string array_text(const ir::Var& v) {
  return fmt::format("{} {}", shape_text(v.shape), dtype_short_name(v.dtype));
}

std::vector<std::string> only_in(const ir::Program& p, const ir::Program& other) {
  std::vector<std::string> names;
  for (const ir::Param& param : p.params) {
    const auto found = other.find(p[param.var].name);
    if (!found || !other.param_of(*found)) names.push_back(p[param.var].name);
  }
  return names;
}

int64_t macs(const ir::RunRecord& record) {
  int64_t sum = 0;
  for (const ir::TaskRecord& t : record.tasks) sum += record.profiles[t.profile].macs;
  return sum;
}

// Keys of both programs whose values differ because the shapes do.
std::vector<std::string> size_differences(const TimedRun& a, const TimedRun& b,
                                          const catalog::ProgramDef& def_b) {
  std::vector<std::string> out;
  if (a.session->shape() == b.session->shape() ||
      std::ranges::find(def_b.shapes, a.session->shape()) == def_b.shapes.end())
    return out;
  const catalog::Machine machine = b.session->request().catalog_machine();
  const auto other = catalog::configure(def_b, a.session->shape(), machine).keys();
  for (const catalog::Key& kb : b.session->keys())
    for (const catalog::Key& ka : a.session->keys())
      for (const catalog::Key& ko : other)
        if (ka.name == kb.name && ko.name == kb.name && ka.value != kb.value &&
            ko.value != kb.value)
          out.push_back(fmt::format("{} {} and {}", ka.name, ka.value, kb.value));
  return out;
}

}  // namespace

std::vector<std::string> work_differences(const TimedRun& a, const TimedRun& b) {
  const ir::Program& pa = a.session->plan()->program;
  const ir::Program& pb = b.session->plan()->program;
  std::vector<std::string> out;
  if (const auto names = only_in(pa, pb); !names.empty())
    out.push_back(fmt::format("only the first has {}", some(names)));
  if (const auto names = only_in(pb, pa); !names.empty())
    out.push_back(fmt::format("only the second has {}", some(names)));
  std::vector<std::string> differ;
  for (const ir::Param& param : pa.params) {
    const ir::Var& va = pa[param.var];
    const auto found = pb.find(va.name);
    if (!found || !pb.param_of(*found)) continue;
    const ir::Var& vb = pb[*found];
    if (va.shape != vb.shape || va.dtype != vb.dtype)
      differ.push_back(fmt::format("{} {} and {}", va.name, array_text(va), array_text(vb)));
  }
  if (!differ.empty()) out.push_back(some(differ));
  const int64_t ma = macs(*a.record), mb = macs(*b.record);
  if (ma != mb)
    out.push_back(fmt::format("multiply-adds {:.4g} and {:.4g}{}", static_cast<double>(ma),
                              static_cast<double>(mb),
                              ma > 0 && mb > 0
                                  ? fmt::format(", {:.3g} times as many",
                                                static_cast<double>(mb) / static_cast<double>(ma))
                                  : ""));
  return out;
}

SideBySide side_by_side(const Contestant& a, const Contestant& b) {
  SideBySide out;
  out.label_a = a.label;
  out.label_b = b.label;
  out.a = predict(*a.def, a.request);
  out.b = predict(*b.def, b.request);
  if (!out.passed()) return out;
  add_doubt(out.a);
  add_doubt(out.b);
  out.size_differences = size_differences(out.a, out.b, *b.def);
  out.work_differences = work_differences(out.a, out.b);
  out.stages = paired_stages(out.a, out.b);
  const std::string& shape = out.b.session->shape();
  if (!out.size_differences.empty() &&
      std::ranges::find(a.def->shapes, shape) != a.def->shapes.end()) {
    Request same = a.request;
    same.shape = shape;
    out.like = predict(*a.def, same);
    if (out.like->passed())
      add_doubt(*out.like);
    else
      out.like.reset();
  }
  return out;
}

}  // namespace tilewright::session
