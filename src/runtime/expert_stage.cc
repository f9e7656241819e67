#include "tilewright/runtime/expert_stage.h"

#include "tilewright/ir/program.h"

namespace tilewright::runtime {

ExpertStage::ExpertStage(const models::transformer::StepSizes& sizes,
                         cpu::InstructionSet instructions)
    : experts_(sizes.experts()),
      program_(models::transformer::experts_program(sizes), instructions),
      counts_(program_.make("counts")),
      groups_(DType::I32, experts_.groups_shape()),
      members_(DType::I32, experts_.members_shape()),
      places_(DType::I32, experts_.choice_shape()) {}

void ExpertStage::share(std::string_view name, HostArray& array) {
  if (name == "chosen") chosen_ = &array;
  for (const std::string_view shared : {"hidden", "attended", "post_normed", "expert_weights"})
    if (name == shared) program_.bind(name, array);
}

// What is not known when tasks are made can be anything when they run.
void ExpertStage::bind_groups(bool known) {
  for (const auto& [name, array] : {std::pair("groups", &groups_), std::pair("members", &members_),
                                    std::pair("places", &places_)})
    program_.bind(program_.index(name), known ? array : nullptr);
}

void ExpertStage::make_tasks(int64_t rows, int threads) {
  if (rows == rows_) return;
  rows_ = rows;
  counts_.as<int32_t>()[0] = static_cast<int32_t>(rows);
  counts_.as<int32_t>()[1] = static_cast<int32_t>(experts_.most_groups(rows));
  bind_groups(false);
  program_.make_tasks(threads);
  bind_groups(true);
}

void ExpertStage::run(cpu::Pool& pool, const cpu::PackedWeights& weights) {
  const auto chosen = static_cast<std::size_t>(rows_ * experts_.per_row);
  programs::groups_of(
      experts_, chosen_->as<int32_t>().first(chosen),
      {groups_.as<int32_t>(), members_.as<int32_t>(), places_.as<int32_t>()});
  program_.run(pool, weights);
}

}  // namespace tilewright::runtime
