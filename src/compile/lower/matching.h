// What the matchers of groups share: the kernel they search, and one function for each kind of
// group. A matcher is given the nodes of a block from one place on and looks at the first of them.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "tilewright/ir/uses.h"

namespace tilewright::compile {

// The kernel that is searched.
struct Searched {
  const ir::Program& program;
  const ir::LoweredKernel& kernel;
  const ir::Uses& uses;

  const ir::Instruction& instruction(int number) const {
    return kernel.instructions[static_cast<std::size_t>(number)];
  }
  const ir::Op& op(int number) const { return instruction(number).op; }
  // The instruction a node issues when it computes or names a value; -1 for anything else.
  int issued(const ir::LoweredNode& n) const {
    const auto* issue = n.as<ir::LoweredNode::Issue>();
    if (!issue || instruction(issue->instruction).action == ir::Action::Read) return -1;
    return issue->instruction;
  }
  // The instruction that makes a view.
  int maker(ir::VarId view) const { return uses.writers(view).front(); }
};

struct Found {
  decltype(ir::Group::what) group;
  std::size_t nodes = 0;  // that become its body
};

using Nodes = std::span<const ir::LoweredNode>;
std::optional<Found> match_softmax(Nodes nodes, const Searched& in);
std::optional<Found> match_merge(Nodes nodes, const Searched& in);
std::optional<Found> match_strip(Nodes nodes, const Searched& in);
std::optional<Found> match_chain(Nodes nodes, const Searched& in);

}  // namespace tilewright::compile
