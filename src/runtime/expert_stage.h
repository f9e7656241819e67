// The second half of a layer with experts: rows are grouped by the experts that the first half chose,
// and every group is multiplied with the weights of its expert.
//
// Tasks are made for a number of rows, not for a choice: there are as many groups as any choice could
// need, and which expert a group has is read when its tasks run. Groups without rows read nothing.
#pragma once

#include <string_view>

#include "tilewright/models/transformer/step_program.h"
#include "tilewright/programs/experts.h"
#include "tilewright/runtime/bound_program.h"

namespace tilewright::runtime {

class ExpertStage {
 public:
  ExpertStage(const models::transformer::StepSizes& sizes, cpu::InstructionSet instructions);

  BoundProgram& program() { return program_; }
  // The array of the first half that has this name, or that both write.
  void share(std::string_view name, HostArray& array);
  void make_tasks(int64_t rows, int threads);
  void run(cpu::Pool& pool, const cpu::PackedWeights& weights);

 private:
  void bind_groups(bool known);

  programs::Experts experts_;
  BoundProgram program_;
  HostArray& counts_;
  HostArray groups_, members_, places_;
  const HostArray* chosen_ = nullptr;
  int64_t rows_ = 0;  // of the tasks that are made
};

}  // namespace tilewright::runtime
