#include "tilewright/report/gm_values.h"

#include "tilewright/ir/plan.h"

#include <algorithm>
#include <map>

namespace tilewright::report {

using namespace ir;

namespace {

void add_once(std::vector<KernelId>& list, KernelId k) {
  if (std::ranges::find(list, k) == list.end()) list.push_back(k);
}

}  // namespace

std::vector<GmValue> gm_values(const Plan& plan, const TaskGraph& graph) {
  std::map<VarId, GmValue> values;
  for (const Buffer& b : graph.buffers) {
    if (b.param >= 0) continue;
    GmValue& v = values[b.var];
    v.var = b.var;
    ++v.buffers;
    v.bytes += b.bytes();
  }
  for (const Task& t : graph.tasks)
    for (const Access& a : graph.accesses_of(t)) {
      const Buffer& b = graph.buffers[a.buffer.index()];
      if (b.param >= 0) continue;
      GmValue& v = values[b.var];
      (a.write ? v.written : v.read) += bytes_of(b.dtype, a.rect.elements());
      add_once(a.write ? v.from : v.to, t.kernel);
    }
  for (const Escape& e : plan.escapes)
    if (const auto it = values.find(e.var); it != values.end()) it->second.escape = true;
  std::vector<GmValue> out;
  for (auto& [var, v] : values) out.push_back(std::move(v));
  std::ranges::stable_sort(out, std::greater(), &GmValue::bytes);
  return out;
}

}  // namespace tilewright::report
