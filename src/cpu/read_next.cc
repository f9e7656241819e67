#include "tilewright/cpu/read_next.h"

#include <algorithm>

namespace tilewright::cpu {
namespace {

using ir::OpKind;

bool is_cache_rows(const ir::Program& program, ir::VarId v) {
  return program[v].dtype == DType::BF16 && program[v].shape.size() == 2;
}

// Ops, and branches of ops: no scalar gets another value.
bool only_ops(const ir::Stmt& s) {
  if (s.as<ir::Op>()) return true;
  const auto* branch = s.as<ir::If>();
  return branch && std::ranges::all_of(branch->then_body, only_ops) &&
         std::ranges::all_of(branch->else_body, only_ops);
}

}  // namespace

std::optional<std::size_t> view_read_next(const ir::Program& program,
                                          std::span<const ir::Stmt> statements,
                                          const Aliases& aliases) {
  const auto* product = statements.front().as<ir::Op>();
  if (!product || product->kind != OpKind::Matmul || !product->b_trans) return {};
  if (!is_cache_rows(program, product->args[1])) return {};
  for (std::size_t i = 1; i < statements.size() && only_ops(statements[i]); ++i) {
    const auto* op = statements[i].as<ir::Op>();
    if (!op || (op->kind != OpKind::Slice && op->kind != OpKind::Load)) continue;
    // A view of an argument: of memory that is there before the kernel starts.
    if (aliases.is_alias(op->dst) && aliases.is_argument(op->args[0]) &&
        is_cache_rows(program, op->dst))
      return i;
  }
  return {};
}

}  // namespace tilewright::cpu
