#include "tilewright/improve/rewrites/sites.h"

#include "tilewright/base/check.h"
#include "tilewright/improve/findings/look.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

std::string name_inside(const For& loop) {
  std::string name = loop.name;
  for_each_stmt(loop.body, [&](const Stmt& s) {
    if (const Scope* scope = s.as<Scope>(); scope && name.empty()) name = scope->name;
    if (const For* launch = s.as<For>(); launch && name.empty()) name = launch->name;
  });
  return name;
}

void collect_sites(const Block& block, const Scope* scope, const For* launch,
                   std::vector<LoopSite>& out) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    const For* loop = block[i].as<For>();
    if (loop) {
      std::string name = scope ? scope->name : launch ? launch->name : name_inside(*loop);
      out.push_back(
          {static_cast<int>(out.size()), loop, &block, i, scope, scope || launch, std::move(name)});
    }
    const Scope* inner = block[i].as<Scope>();
    const For* around = loop && loop->kind == LoopKind::Spmd ? loop : launch;
    for_each_body(block[i], [&](const Block& body) {
      collect_sites(body, inner ? inner : scope, around, out);
    });
  }
}

bool find_in(Block& block, int& number, LoopSpot& out) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i].as<For>() && number-- == 0) {
      out = {&block, i};
      return true;
    }
    bool found = false;
    for_each_body(block[i], [&](Block& body) { found = found || find_in(body, number, out); });
    if (found) return true;
  }
  return false;
}

}  // namespace

Where LoopSite::where() const { return {loop->place, scope_name}; }

std::vector<LoopSite> loop_sites(const Program& p) {
  std::vector<LoopSite> out;
  collect_sites(p.body, nullptr, nullptr, out);
  return out;
}

LoopSpot find_loop(Program& p, int number) {
  LoopSpot out;
  check(find_in(p.body, number, out), "find_loop: the copy has the loops of the program");
  return out;
}

std::optional<int64_t> constant_trips(const For& loop) {
  const Expr length = loop.stop - loop.start;
  if (!length.is_constant() || loop.step <= 0) return std::nullopt;
  return std::max<int64_t>(0, (length.constant() + loop.step - 1) / loop.step);
}

std::optional<Expr> divided(const Expr& e, int64_t divisor) {
  if (e.constant() % divisor != 0) return std::nullopt;
  Expr out(e.constant() / divisor);
  for (const Term& t : e.terms()) {
    if (!t.var.valid() || t.coefficient % divisor != 0) return std::nullopt;
    out = out + Expr::var(t.var) * Expr(t.coefficient / divisor);
  }
  return out;
}

bool depends_on(const Expr& e, VarId v) {
  bool found = false;
  e.for_each_var([&](VarId other) { found = found || other == v; });
  return found;
}

}  // namespace tilewright::improve
