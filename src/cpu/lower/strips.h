// A strip of rows as one step: a few rows pass through all parts of the step before the next few,
// so that the intermediate is produced and consumed in L1 and never fully materialised.
#pragma once

#include <memory>
#include <vector>

#include "tilewright/cpu/lower/operand.h"
#include "tilewright/ir/lowered.h"

namespace tilewright::cpu {

class StripStep : public Step {
 public:
  struct Part {
    std::unique_ptr<Step> step;
    Operand result;
    bool view, kept;  // as in ir::StripGroup::Part
  };
  // `inputs` have as many rows as the results.
  StripStep(std::vector<Part> parts, std::vector<Operand> inputs, int64_t rows_at_once);
  Flow run(Frame& f) const override;

 private:

  bool rows_agree(const Frame& f) const;
  void run_rows(Frame& f, int64_t first) const;

  std::vector<Part> parts_;
  std::vector<Operand> inputs_;
  int64_t at_once_;  // rows
};

}  // namespace tilewright::cpu
