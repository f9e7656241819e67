// pl.system.syncall in the body of pl.spmd: what blocks do after it sees what all blocks did before
// it. That is one launch after the other, so a barrier ends a loop and begins the next.
#include <fmt/format.h>

#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {
namespace {

const Expr* barrier_of(const Stmt& s) {
  if (s.kind != StmtKind::Evaluate || s.value->kind != ExprKind::Call) return nullptr;
  return dotted_path(*s.value->parts[0]) == "pl.system.syncall" ? s.value : nullptr;
}

}  // namespace

// The statements between barriers; a launch without any has one phase.
std::vector<Body> Lowering::phases_of(const Body& statements) {
  std::vector<Body> phases(1);
  for (const Stmt* s : statements) {
    if (const Expr* barrier = barrier_of(*s)) {
      // How cores find each other is the device's business.
      Arguments(*this, *barrier, "pl.system.syncall", {},
                {"core_type", "mode", "gm_workspace", "used_cores"});
      phases.emplace_back();
    } else {
      phases.back().push_back(s);
    }
  }
  return phases;
}

// The next loop has a variable of its own, which names stand for from here on.
void Lowering::pass_barrier(ir::For& f) {
  const ir::VarId before = f.var;
  f.var = scalar_var(program_[before].name, DType::Index, {});
  program_[f.var].place = program_[before].place;
  const auto value_of = [&](ir::VarId v) {
    return v == before ? std::optional(ir::Expr::var(f.var)) : std::nullopt;
  };
  std::vector<std::string_view> tiles;
  for (auto& [name, binding] : frame().names) {
    if (const auto* e = binding.value.as<ir::Expr>()) binding.value = {e->substituted(value_of)};
    const auto* t = binding.value.as<Tensor>();
    if (t && made_in_[t->var.index()] == scope_number_) tiles.push_back(name);
  }
  for (std::string_view name : tiles) {
    frame().names.erase(name);
    frame().pinned.erase(name);
    frame().behind_barrier.insert(name);
  }
}

}  // namespace tilewright::frontend
