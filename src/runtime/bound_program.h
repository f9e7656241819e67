// A tile program ready to run step after step on this machine: compiled once, its tasks made from
// the integers that are bound, its arrays bound by name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tilewright/cpu/run/executable.h"
#include "tilewright/runtime/step_arrays.h"
#include "tilewright/session/session.h"

namespace tilewright::runtime {

class BoundProgram {
 public:
  BoundProgram(ir::Program program, cpu::InstructionSet instructions);

  // A zeroed array of the parameter's type and shape, bound to it.
  HostArray& make(std::string_view name) { return arrays_.make(name); }
  // Without an array (null), nothing is known of a parameter when tasks are made.
  void bind(std::size_t param, HostArray* array) { session_.bindings().arrays[param] = array; }
  void bind(std::string_view name, HostArray& array) { bind(index(name), &array); }
  // One array for each parameter; those of parameters that are no weights are ignored.
  void bind_weights(std::vector<HostArray>& arrays);
  std::size_t index(std::string_view name) const { return parameter_index(program(), name); }
  const ir::Program& program() const { return session_.program(); }

  // The tasks that follow from the integers bound now. Kernels are lowered the first time.
  void make_tasks(int threads);
  // Whether a parameter is packed: the array it is bound to is then not needed to run.
  bool packs(std::size_t param) const { return executable_->packs(param); }
  // Rows [out, in] that an array lacks at its end are zeros.
  cpu::PackedWeights pack(cpu::Pool& pool);
  void run(cpu::Pool& pool, const cpu::PackedWeights& weights);

  int64_t memory_bytes() const;
  // Thread seconds by kernel since this was last asked for.
  std::vector<std::pair<std::string, double>> take_kernel_seconds();

 private:
  // Programs of ours that do not compile are bugs, told with what the compiler said.
  void require(bool fine, const char* what) const;

  cpu::InstructionSet instructions_;
  session::Session session_;
  StepArrays arrays_;
  std::unique_ptr<cpu::Executable> executable_;
  std::vector<std::size_t> kernel_of_task_;
  std::vector<int64_t> busy_ns_;  // by kernel
};

}  // namespace tilewright::runtime
