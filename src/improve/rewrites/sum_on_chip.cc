#include "tilewright/improve/rewrites/sum_on_chip.h"

#include <algorithm>
#include <set>

#include "tilewright/improve/rewrites/array_uses.h"
#include "tilewright/improve/rewrites/matmul_acc.h"
#include "tilewright/improve/rewrites/on_chip.h"
#include "tilewright/improve/rewrites/windows.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {

using namespace ir;

namespace {

bool is_invariant(const std::vector<Expr>& offset, const Block& block, VarId var) {
  std::set<VarId> changing{var};
  for_each_stmt(block, [&](const Stmt& s) {
    if (const VarId v = scalar_defined(s); v.valid()) changing.insert(v);
  });
  return std::ranges::none_of(offset, [&](const Expr& e) {
    return std::ranges::any_of(changing, [&](VarId v) { return depends_on(e, v); });
  });
}

// The position of the last op before `end` that writes the array.
std::optional<std::size_t> made_at(const Block& block, std::size_t end, VarId v) {
  for (std::size_t i = end; i-- > 0;)
    if (const Op* op = block[i].as<Op>(); op && op->dst == v) return i;
  return std::nullopt;
}

bool is_load_of(const Op& load, const Op& store, const Program& p) {
  if (!reads_window(load) || load.args[0] != store.dst || !load.valid.empty()) return false;
  return load.offset == store.offset && window_of(load, p).extent == window_of(store, p).extent;
}

// Zeros, or zeros of another type.
bool writes_zeros(const Program& p, const Op& store) {
  bool zeros = true, any = false;
  for_each_op(p.body, [&](const Op& op) {
    if (op.dst != store.args[0]) return;
    any = true;
    bool cast_of_zeros = op.kind == OpKind::Cast;
    if (cast_of_zeros)
      for_each_op(p.body, [&](const Op& source) {
        if (source.dst == op.args[0]) cast_of_zeros = cast_of_zeros && is_zero_fill(source);
      });
    zeros = zeros && (is_zero_fill(op) || cast_of_zeros);
  });
  return any && zeros;
}

}  // namespace

std::optional<GmSum> gm_sum_in(const Program& p, const Block& block, VarId var) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    const Op* store = block[k].as<Op>();
    if (!store || !writes_window(*store) || !is_invariant(store->offset, block, var)) continue;
    const UseCount uses = count_uses(block, store->dst);
    if (uses.reads != 1 || uses.writes != 1) continue;
    const auto j = made_at(block, k, store->args[0]);
    const Op* add = j ? block[*j].as<Op>() : nullptr;
    if (!add || add->kind != OpKind::Add || add->args.size() != 2) continue;
    for (VarId old : add->args) {
      const auto i = made_at(block, *j, old);
      if (!i || !is_load_of(*block[*i].as<Op>(), *store, p)) continue;
      const bool in_place = add->dst == old;
      if (count_uses(p.body, old).reads != (in_place ? 2 : 1)) continue;
      if (!in_place && count_uses(p.body, add->dst).reads != 1) continue;
      return GmSum{*i, *j, k, store->dst};
    }
  }
  return std::nullopt;
}

bool starts_from_zeros(const Program& p, VarId tensor) {
  int zeros = 0, others = 0;
  for_each_op(p.body, [&](const Op& op) {
    if (op.dst != tensor) return;
    if (op.kind == OpKind::Create)
      zeros +=
          op.scalar && op.scalar->kind == ScalarOperand::Kind::Literal && op.scalar->literal == 0;
    else
      (writes_window(op) && writes_zeros(p, op) ? zeros : others) += 1;
  });
  return zeros > 0 && others == 1;
}

void drop_zero_fills(Program& p, VarId tensor) {
  const auto in_block = [&](auto&& self, Block& block, const Program& before) -> void {
    std::erase_if(block, [&](const Stmt& s) {
      const Op* op = s.as<Op>();
      return op && writes_window(*op) && op->dst == tensor && writes_zeros(before, *op);
    });
    for (Stmt& s : block) for_each_body(s, [&](Block& body) { self(self, body, before); });
  };
  const Program before = p;
  in_block(in_block, p.body, before);
  remove_unused(p);
}

bool sum_on_chip(Program& p, Block& block, std::size_t at) {
  const For* loop = block[at].as<For>();
  const auto found = loop ? gm_sum_in(p, loop->body, loop->var) : std::nullopt;
  if (!found) return false;
  const bool from_zeros = starts_from_zeros(p, found->tensor);
  Op store = *loop->body[found->store].as<Op>();
  const Op load = *loop->body[found->load].as<Op>();
  Var sum = p[load.dst];
  sum.name = p.unique_name(p[found->tensor].name + "_acc");
  const VarId acc = p.add_var(sum);
  Op start = load;
  start.dst = store.args[0] = acc;
  if (from_zeros) {
    start = Op{};
    start.kind = OpKind::Full;
    start.dst = acc;
    start.scalar = ScalarOperand{};
    start.place = load.place;
  }
  For& changed = *block[at].as<For>();
  Op& add = *changed.body[found->add].as<Op>();
  std::ranges::replace(add.args, load.dst, acc);
  add.dst = acc;
  const auto erase = [&](std::size_t i) {
    changed.body.erase(changed.body.begin() + static_cast<std::ptrdiff_t>(i));
  };
  erase(found->store);
  erase(found->load);
  block.insert(block.begin() + static_cast<std::ptrdiff_t>(at) + 1, Stmt{store});
  block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), Stmt{start});
  if (const auto products = added_products(p, *block[at + 1].as<For>()); products && from_zeros)
    start_with_product(block, at + 1, *products);
  return true;
}

}  // namespace tilewright::improve
