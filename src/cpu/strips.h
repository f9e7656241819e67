// Ops whose rows do not depend on other rows, one after the other: a few rows go through all of
// them before the next few, so that what lies in between stays in L1 and is never all there.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tilewright/cpu/aliases.h"
#include "tilewright/cpu/operand.h"

namespace tilewright::cpu {

// The first statements of a body, when they are a strip.
struct Strip {
  struct Part {
    const ir::Op* op = nullptr;
    bool view = false;  // of a tile that an earlier part makes
    bool kept = false;  // read afterwards: all rows of it must be there in the end
  };
  std::size_t statements = 0;
  std::vector<const ir::Op*> views;  // of what is there before: made once, before the parts
  std::vector<Part> parts;
  std::vector<ir::VarId> inputs;  // with as many rows as the results
  int64_t at_once = 0;            // rows
};

std::optional<Strip> find_strip(const ir::Program& program, std::span<const ir::Stmt> statements,
                                const Aliases& aliases);

class StripStep : public Step {
 public:
  struct Part {
    std::unique_ptr<Step> step;
    Operand result;
    bool view, kept;
  };
  StripStep(std::vector<Part> parts, std::vector<Operand> inputs, int64_t at_once)
      : parts_(std::move(parts)), inputs_(std::move(inputs)), at_once_(at_once) {}
  Flow run(Frame& f) const override;

 private:
  bool rows_agree(const Frame& f) const;
  void run_rows(Frame& f, int64_t first) const;

  std::vector<Part> parts_;
  std::vector<Operand> inputs_;
  int64_t at_once_;
};

}  // namespace tilewright::cpu
