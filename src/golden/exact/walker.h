// Walks the structure of a lowered kernel with the real values of scalars, as the issuing core
// does. Groups are walked instruction by instruction.
#pragma once

#include <functional>

#include "tilewright/golden/scalars.h"
#include "tilewright/ir/plan.h"

namespace tilewright::golden::exact {

class Walker {
 public:
  using Issue = std::function<void(int instruction)>;

  // `issue` may set scalars.
  Walker(const ir::Program& program, const ir::Kernel& kernel, Scalars& scalars, Issue issue)
      : program_(program), kernel_(kernel), scalars_(scalars), issue_(std::move(issue)) {}

  void run() { run(kernel_.lowered.body); }

 private:
  enum class Flow { Next, Break, Continue };

  Flow run(const ir::LoweredBlock& body);
  Flow run(const ir::LoweredNode::Issue& issue) { return issue_(issue.instruction), Flow::Next; }
  Flow run(const ir::LoweredFor& loop);
  Flow run(const ir::LoweredWhile& loop);
  Flow run(const ir::LoweredIf& branch);
  Flow run(const ir::Let& let);
  Flow run(const ir::Compute& compute);
  Flow run(const ir::Break&) { return Flow::Break; }
  Flow run(const ir::Continue&) { return Flow::Continue; }
  Flow run(const ir::Group& group) { return run(group.body); }
  Site site(std::string_view what) const { return {&program_, kernel_.name, &kernel_.place, what}; }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  Scalars& scalars_;
  Issue issue_;
};

}  // namespace tilewright::golden::exact
