// acc = add(acc, matmul(a, b)) in a loop: every product leaves the cube to be added by a vector
// core. matmul_acc adds it where it is made.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/matmul_acc.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

int uses_of(const Program& p, VarId v) {
  int uses = 0;
  for_each_op(p.body, [&](const Op& op) {
    uses += static_cast<int>(std::ranges::count(op.args, v)) + (op.dst == v && reads_dst(op));
  });
  return uses;
}

}  // namespace

bool is_zero_fill(const Op& op) {
  return op.kind == OpKind::Full && op.scalar && op.scalar->kind == ScalarOperand::Kind::Literal &&
         op.scalar->literal == 0;
}

std::optional<AddedProducts> added_products(const Program& p, const For& loop) {
  for (std::size_t i = 0; i < loop.body.size(); ++i) {
    const Op* m = loop.body[i].as<Op>();
    if (!m || m->kind != OpKind::Matmul || uses_of(p, m->dst) != 1) continue;
    for (std::size_t j = i + 1; j < loop.body.size(); ++j) {
      const Op* add = loop.body[j].as<Op>();
      if (!add || add->kind != OpKind::Add || add->args.size() != 2) continue;
      const bool first = add->args[0] == m->dst, second = add->args[1] == m->dst;
      const VarId acc = add->args[first ? 1 : 0];
      if ((first || second) && add->dst == acc && p[acc].dtype == p[m->dst].dtype)
        return AddedProducts{i, j, acc};
    }
  }
  return std::nullopt;
}

bool start_with_product(Block& block, std::size_t loop_at, const AddedProducts& found) {
  for (std::size_t i = 0; i < loop_at; ++i) {
    const Op* fill = block[i].as<Op>();
    if (!fill || fill->dst != found.acc || !is_zero_fill(*fill)) continue;
    For& loop = *block[loop_at].as<For>();
    Op first = *loop.body[found.product].as<Op>();
    first.dst = found.acc;
    Op later = first;
    later.kind = OpKind::MatmulAcc;
    If either{{Cond::Kind::Compare, Compare::Eq, Expr::var(loop.var), loop.start, {}},
              {},
              {},
              first.place};
    either.then_body.push_back({first});
    either.else_body.push_back({later});
    loop.body.erase(loop.body.begin() + static_cast<std::ptrdiff_t>(found.sum));
    loop.body[found.product] = {std::move(either)};
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

namespace {

bool rewrite_nth(const Program& before, Block& block, int& n) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (const For* loop = block[i].as<For>())
      if (const auto found = added_products(before, *loop); found && n-- == 0)
        return start_with_product(block, i, *found);
    bool done = false;
    for_each_body(block[i], [&](Block& body) { done = done || rewrite_nth(before, body, n); });
    if (done || n < 0) return done;
  }
  return false;
}

}  // namespace

void accumulate_in_cube(const Subject& s, Rewrites& out) {
  int index = 0;
  for_each_stmt(s.program.body, [&](const Stmt& stmt) {
    const For* loop = stmt.as<For>();
    if (!loop) return;
    const auto found = added_products(s.program, *loop);
    if (!found) return;
    Program changed = s.program;
    int n = index++;
    if (!rewrite_nth(s.program, changed.body, n)) return;
    const Op& add = *loop->body[found->sum].as<Op>();
    out.push_back(
        {"matmul-acc",
         fmt::format("{} adds products outside the cube, one by one", s.program[found->acc].written_name()),
         Where{add.place}, "use matmul for the first product and matmul_acc for the others",
         std::move(changed)});
  });
}

}  // namespace tilewright::improve
