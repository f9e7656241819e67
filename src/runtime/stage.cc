#include "tilewright/runtime/stage.h"

#include <utility>

#include "tilewright/base/check.h"
#include "tilewright/compile/compile.h"
#include "tilewright/platform/platform.h"

namespace tilewright::runtime {
namespace {

// Programs of ours that do not compile are bugs, told with what the compiler said.
[[noreturn]] void refuse(const char* what, const Diagnostics& diagnostics) {
  std::string text = what;
  for (const Diagnostic& d : diagnostics.list()) text += "\n" + d.text();
  bug(text);
}

}  // namespace

Stage::Stage(const ir::Program& program, const cpu::simd::Kernels& kernels) : kernels_(kernels) {
  Diagnostics diagnostics;
  auto plan = compile::compile(program, platform::builtin_platform("cpu"), {}, diagnostics);
  if (!plan) refuse("a program of the step does not compile", diagnostics);
  plan_ = std::make_unique<ir::Plan>(std::move(*plan));
  busy_ns_.resize(plan_->kernels.size());
  bindings_.arrays.resize(program.params.size());
  bindings_.scalars.resize(program.params.size());
}

std::size_t Stage::index(std::string_view name) const {
  const ir::Program& program = plan_->program;
  for (std::size_t p = 0; p < program.params.size(); ++p)
    if (program[program.params[p].var].name == name) return p;
  bug("the step has no parameter " + std::string(name));
}

HostArray& Stage::make(std::string_view name) {
  const std::size_t p = index(name);
  const ir::Var& v = plan_->program[plan_->program.params[p].var];
  own_.push_back(std::make_unique<HostArray>(v.dtype, v.shape));
  bindings_.arrays[p] = own_.back().get();
  return *own_.back();
}

void Stage::make_tasks(int threads) {
  Diagnostics diagnostics;
  const auto graph = compile::unroll(*plan_, bindings_, diagnostics);
  if (!graph) refuse("a step does not unroll", diagnostics);
  if (executable_)
    executable_->set_tasks(*graph);
  else
    executable_ =
        std::make_unique<cpu::Executable>(*plan_, *graph,
                                          cpu::Options{.threads = threads, .kernels = &kernels_});
  kernel_of_task_.clear();
  for (const ir::Task& t : graph->tasks) kernel_of_task_.push_back(t.kernel.index());
}

cpu::Weights Stage::pack(cpu::Pool& pool) {
  return executable_->bind_weights(bindings_, cpu::Source::Keep, &pool);
}

void Stage::run(cpu::Pool& pool, const cpu::Weights& weights) {
  executable_->run(pool, weights, bindings_);
  const auto& times = executable_->times();
  for (std::size_t t = 0; t < times.size(); ++t)
    busy_ns_[kernel_of_task_[t]] += times[t].end_ns - times[t].start_ns;
}

int64_t Stage::memory_bytes() const { return executable_->memory_bytes(); }

std::vector<std::pair<std::string, double>> Stage::take_kernel_seconds() {
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t k = 0; k < busy_ns_.size(); ++k)
    out.emplace_back(plan_->kernels[k].name,
                     static_cast<double>(std::exchange(busy_ns_[k], 0)) * 1e-9);
  return out;
}

}  // namespace tilewright::runtime
