#include "tilewright/cpu/lower/read_next.h"

#include <algorithm>

namespace tilewright::cpu {
namespace {

class Reader {
 public:
  Reader(const ir::Program& program, const ir::LoweredKernel& kernel, const ir::Uses& uses)
      : program_(program), kernel_(kernel), uses_(uses) {}

  bool multiplies_cache_rows(const ir::LoweredNode& n) const {
    const ir::Op* op = computed(n);
    return op && op->kind == ir::OpKind::Matmul && op->b_trans && is_cache_rows(op->args[1]);
  }

  std::optional<int> next_view(std::span<const ir::LoweredNode> nodes) const {
    for (const ir::LoweredNode& n : nodes) {
      if (!only_ops(n)) return std::nullopt;
      if (is_view_of_cache(n)) return n.as<ir::LoweredNode::Issue>()->instruction;
      if (const auto* group = n.as<ir::Group>())
        if (const auto found = next_view(group->body)) return found;
    }
    return std::nullopt;
  }

 private:
  // The op of a node, unless that reads a scalar or is no single instruction.
  const ir::Op* computed(const ir::LoweredNode& n) const {
    const auto* issue = n.as<ir::LoweredNode::Issue>();
    if (!issue) return nullptr;
    const auto& in = kernel_.instructions[static_cast<std::size_t>(issue->instruction)];
    return in.action == ir::Action::Read ? nullptr : &in.op;
  }
  // Ops, and groups and branches of ops: no scalar gets another value.
  bool only_ops(const ir::LoweredNode& n) const {
    const auto all = [&](const ir::LoweredBlock& body) {
      return std::ranges::all_of(body,
                                 [&](const ir::LoweredNode& inner) { return only_ops(inner); });
    };
    if (const auto* group = n.as<ir::Group>()) return all(group->body);
    if (const auto* branch = n.as<ir::LoweredIf>())
      return all(branch->then_body) && all(branch->else_body);
    return computed(n) != nullptr;
  }
  // A window of an argument: of memory that is there before the kernel starts.
  bool is_view_of_cache(const ir::LoweredNode& n) const {
    const ir::Op* op = computed(n);
    return op && ir::op_info(op->kind).view == ir::ViewKind::Window && uses_.is_view(op->dst) &&
           uses_.is_argument(op->args[0]) && is_cache_rows(op->dst);
  }
  bool is_cache_rows(ir::VarId v) const {
    const ir::Var& rows = program_[v];
    return (rows.dtype == DType::BF16 || rows.dtype == DType::F16) && rows.shape.size() == 2;
  }

  const ir::Program& program_;
  const ir::LoweredKernel& kernel_;
  const ir::Uses& uses_;
};

}  // namespace

std::optional<int> view_read_next(const ir::Program& program, const ir::LoweredKernel& kernel,
                                  const ir::Uses& uses, std::span<const ir::LoweredNode> nodes) {
  const Reader reader(program, kernel, uses);
  if (!reader.multiplies_cache_rows(nodes.front())) return std::nullopt;
  return reader.next_view(nodes.subspan(1));
}

}  // namespace tilewright::cpu
