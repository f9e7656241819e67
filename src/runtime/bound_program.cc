#include "tilewright/runtime/bound_program.h"

#include <utility>

#include "tilewright/base/check.h"
#include "tilewright/ir/plan.h"

namespace tilewright::runtime {

BoundProgram::BoundProgram(ir::Program program, cpu::InstructionSet instructions)
    : instructions_(instructions),
      session_(std::move(program), session::request_for("cpu")),
      arrays_(session_) {
  require(session_.build() && session_.compile(), "a program of the step does not compile");
  busy_ns_.resize(session_.plan()->kernels.size());
}

void BoundProgram::require(bool fine, const char* what) const {
  if (!fine) bug(what + std::string("\n") + session_.diagnostics().text());
}

void BoundProgram::make_tasks(int threads) {
  require(session_.unroll(), "a step does not unroll");
  const ir::TaskGraph& graph = *session_.graph();
  if (executable_)
    executable_->set_tasks(graph);
  else
    executable_ = std::make_unique<cpu::Executable>(*session_.plan(), graph,
                                                    cpu::Options{.threads = threads,
                                                                 .instructions = instructions_});
  kernel_of_task_.clear();
  for (const ir::Task& t : graph.tasks) kernel_of_task_.push_back(t.kernel.index());
}

void BoundProgram::bind_weights(std::vector<HostArray>& arrays) {
  for (std::size_t p = 0; p < arrays.size(); ++p)
    if (program().params[p].role == ir::Role::Weight) bind(p, &arrays[p]);
}

cpu::PackedWeights BoundProgram::pack(cpu::Pool& pool) {
  return executable_->bind_weights(session_.bindings(), cpu::Source::Keep, &pool,
                                   cpu::Missing::Zeros);
}

void BoundProgram::run(cpu::Pool& pool, const cpu::PackedWeights& weights) {
  executable_->run(pool, weights, session_.bindings());
  const auto& times = executable_->times();
  for (std::size_t t = 0; t < times.size(); ++t)
    busy_ns_[kernel_of_task_[t]] += times[t].end_ns - times[t].start_ns;
}

int64_t BoundProgram::memory_bytes() const { return executable_->memory_bytes(); }

std::vector<std::pair<std::string, double>> BoundProgram::take_kernel_seconds() {
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t k = 0; k < busy_ns_.size(); ++k)
    out.emplace_back(session_.plan()->kernels[k].name,
                     static_cast<double>(std::exchange(busy_ns_[k], 0)) * 1e-9);
  return out;
}

}  // namespace tilewright::runtime
