#include "tilewright/golden/exact/executions.h"

#include <algorithm>

#include "tilewright/base/check.h"

namespace tilewright::golden::exact {
namespace {

template <class Traces>
auto find_trace(Traces& traces, const ir::Wait& w) {
  return std::ranges::find_if(traces, [&](const auto& t) {
    return t.copies == w.copies && (w.copies == 1 || t.storage == w.storage);
  });
}

}  // namespace

Executions::Executions(const ir::LoweredKernel& code) : traces_(code.instructions.size()) {
  for (const ir::Instruction& in : code.instructions)
    for (const ir::Wait& w : in.waits) {
      auto& traces = traces_.at(static_cast<std::size_t>(w.on));
      if (find_trace(traces, w) == traces.end())
        traces.push_back({w.storage, w.copies, std::vector<int>(w.copies, -1)});
    }
}

std::optional<int> Executions::awaited(const ir::Wait& wait, const Environment& env) const {
  const auto& traces = traces_[static_cast<std::size_t>(wait.on)];
  const auto trace = find_trace(traces, wait);
  check(trace != traces.end(), "a wait that no instruction has");
  const int instance = trace->last[trace->residue(env)];
  return instance < 0 ? std::nullopt : std::optional(instance);
}

void Executions::record(int instruction, int instance, const Environment& env) {
  for (Trace& t : traces_[static_cast<std::size_t>(instruction)]) t.last[t.residue(env)] = instance;
}

}  // namespace tilewright::golden::exact
