#include "tilewright/compile/l0/windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/compile/shared_memory.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

namespace {

bool touches(const Op& op, VarId v) {
  return op.dst == v || std::ranges::find(op.args, v) != op.args.end();
}

bool touches(const Stmt& s, VarId v) {
  if (const auto* op = s.as<Op>()) return touches(*op, v);
  bool found = false;
  for_each_body(s, [&](const Block& body) {
    for_each_op(body, [&](const Op& op) { found = found || touches(op, v); });
  });
  return found;
}

int64_t trips_of(const For& f) {
  const Expr distance = f.stop - f.start;
  if (!distance.is_constant() || f.step <= 0) return 1;
  return std::max<int64_t>(1, (distance.constant() + f.step - 1) / f.step);
}

// How often the block runs a product; of two branches, the one with more.
int64_t products_in(const Block& block) {
  int64_t count = 0;
  for (const Stmt& s : block) {
    if (const auto* op = s.as<Op>()) {
      count += op_family(op->kind) == OpFamily::Matmul ? 1 : 0;
    } else if (const auto* f = s.as<For>()) {
      count += trips_of(*f) * products_in(f->body);
    } else if (const auto* c = s.as<If>()) {
      count += std::max(products_in(c->then_body), products_in(c->else_body));
    }
  }
  return count;
}

}  // namespace

OutputWindows::OutputWindows(Plan& plan, Kernel& kernel, VarId accumulator, const InMat& in_mat,
                             const WholeValues& whole)
    : p_(plan.program), accumulator_(accumulator), in_mat_(in_mat), whole_(whole) {
  find(kernel.body);
  if (!obstacle_.empty()) return;
  const Block stretch(block_->begin() + static_cast<std::ptrdiff_t>(begin_),
                      block_->begin() + static_cast<std::ptrdiff_t>(end_));
  inspect(stretch);
  check_uses(kernel.body, stretch);
  trips_ = std::max<int64_t>(1, products_in(stretch));
}

void OutputWindows::refuse(std::string why) {
  if (obstacle_.empty()) obstacle_ = std::move(why);
}

// The innermost block that holds every statement of the accumulator.
void OutputWindows::find(Block& block) {
  const auto here = [&](const Stmt& s) { return touches(s, accumulator_); };
  const auto first = std::ranges::find_if(block, here);
  check(first != block.end(), "an accumulator that no statement touches");
  const auto last = std::find_if(block.rbegin(), block.rend(), here);
  block_ = &block;
  begin_ = static_cast<std::size_t>(first - block.begin());
  end_ = static_cast<std::size_t>(block.rend() - last);
  if (end_ - begin_ == 1 && !first->as<Op>()) {
    std::vector<Block*> inside;
    for_each_body(*first, [&](Block& body) {
      if (std::ranges::any_of(body, here)) inside.push_back(&body);
    });
    if (inside.size() == 1) return find(*inside.front());
  }
  const auto* drain = block[end_ - 1].as<Op>();
  if (!drain || !drains(*drain))
    return refuse(
        fmt::format("{} is used on the vector core; only results that are stored or "
                    "multiplied again can be split into windows",
                    p_[accumulator_].written_name()));
  drained_ = drain->dst;
}

// A store, or the way into Mat, where another product takes its operand from.
bool OutputWindows::drains(const Op& op) const {
  if (op.args.empty() || op.args[0] != accumulator_) return false;
  return op.kind == OpKind::Store ||
         (op.kind == OpKind::Move && op.inserted && p_[op.dst].space == MemorySpace::Mat);
}

void OutputWindows::inspect(const Block& stretch) {
  for (const Stmt& s : stretch) {
    if (const auto* op = s.as<Op>())
      inspect(*op);
    else if (!s.as<For>() && !s.as<If>() && !s.as<Let>())
      refuse(fmt::format("a statement at {} separates its parts", place_of(s).text()));
    for_each_body(s, [&](const Block& body) { inspect(body); });
  }
}

void OutputWindows::inspect(const Op& op) {
  if (op_family(op.kind) == OpFamily::Matmul && op.dst == accumulator_) return inspect_product(op);
  const bool starts = op.kind == OpKind::Create || op.kind == OpKind::Full;
  if (starts && op.dst == accumulator_) return;
  if (in_mat_.contains(op.dst)) return;  // the window's own moves replace it
  if (drains(op)) {
    if (++drains_ > 1) refuse(fmt::format("{} is stored twice", p_[accumulator_].written_name()));
    return;
  }
  const bool loads = op.kind == OpKind::Load || op.kind == OpKind::Slice;
  if (!loads || p_[op.dst].space != MemorySpace::Mat)
    return refuse(fmt::format("{} at {} separates its parts", op_name(op.kind), op.place.text()));
  if (!made_.emplace(op.dst, Role{}).second)
    refuse(fmt::format("{} is loaded twice", p_[op.dst].written_name()));
  if (op.kind == OpKind::Load && SharedMemory(p_).shared(op.args[0], drained_))
    refuse(fmt::format("{} is read while {} is stored", p_[op.args[0]].written_name(), p_[drained_].written_name()));
}

void OutputWindows::inspect_product(const Op& op) {
  const bool biased = op.kind == OpKind::MatmulBias;
  if (biased && !in_mat_.contains(op.args[2]))
    return refuse(fmt::format("{} is placed in Bias by the program", p_[op.args[2]].written_name()));
  if (auto obstacle = obstacle_to_blocks(op, p_, in_mat_, whole_); !obstacle.empty())
    return refuse(std::move(obstacle));
  const Op product = from_mat(op, in_mat_);
  for (std::size_t i = 0; i < 2; ++i)
    inspect_operand(product.args[i], i == 0, output_dimension(op, i, p_[product.args[i]].shape));
  if (biased) {
    const VarId bias = in_mat_.at(op.args[2]);
    inspect_operand(bias, false, column_dimension(p_[bias].shape));
  }
}

void OutputWindows::inspect_operand(VarId operand, bool rows, std::size_t dimension) {
  if (!whole_.is_whole(operand, dimension))
    refuse(fmt::format("{} may be partly valid", p_[operand].written_name()));
  const auto made = made_.find(operand);
  if (made == made_.end()) return;
  Role& role = made->second;
  if (role.used && (role.rows != rows || role.dimension != dimension))
    refuse(fmt::format("{} is used as two kinds of operand", p_[operand].written_name()));
  role = {rows, dimension, true};
}

// What is made for the accumulator must serve nothing else: it is narrowed, and made again for
// every window.
void OutputWindows::check_uses(const Block& kernel, const Block& stretch) {
  const auto reads = [](const Block& block) {
    std::map<VarId, int> count;
    for_each_op(block, [&](const Op& op) {
      for (const VarId v : op.args) ++count[v];
    });
    return count;
  };
  const auto all = reads(kernel);
  const auto ours = reads(stretch);
  for_each_op(stretch, [&](const Op& op) {
    const auto seen = [&](const std::map<VarId, int>& count) {
      const auto it = count.find(op.dst);
      return it == count.end() ? 0 : it->second;
    };
    if (!drains(op) && seen(all) != seen(ours))
      refuse(fmt::format("{} is used again later", p_[op.dst].written_name()));
    if (!in_mat_.contains(op.dst))
      for (const VarId v : op.args)
        if (made_.contains(v)) refuse(fmt::format("{} is not only an operand", p_[v].written_name()));
  });
  for (const auto& [tile, role] : made_)
    if (!role.used) refuse(fmt::format("{} is not an operand", p_[tile].written_name()));
}

// ---- rewriting ---------------------------------------------------------------------------------

void OutputWindows::cut(const L0Tile& tile, ProductWriter& writer, UniqueNames& names) {
  Shape& shape = p_[accumulator_].shape;
  const int64_t whole_rows = shape[row_dimension(shape)];
  const int64_t whole_columns = shape[column_dimension(shape)];
  shape[row_dimension(shape)] = tile.m;
  shape[column_dimension(shape)] = tile.n;
  const Place place = place_of((*block_)[end_ - 1]);
  const auto loop_over = [&](int64_t size, int64_t step, const char* name, For& loop) -> Cut {
    if (step == size) return {0, step};
    Var v;
    v.name = names.next(name);
    v.scalar = true;
    v.dtype = DType::Index;
    v.place = place;
    loop.var = p_.add_var(std::move(v));
    loop.start = 0;
    loop.stop = size;
    loop.step = step;
    loop.place = place;
    return {Expr::var(loop.var), step};
  };
  For by_rows, by_columns;
  const Cut rows = loop_over(whole_rows, tile.m, "m0", by_rows);
  const Cut columns = loop_over(whole_columns, tile.n, "n0", by_columns);
  for (const auto& [v, role] : made_)
    p_[v].shape[role.dimension] = role.rows ? tile.m : tile.n;

  const auto begin = block_->begin() + static_cast<std::ptrdiff_t>(begin_);
  const auto end = block_->begin() + static_cast<std::ptrdiff_t>(end_);
  Block body = rewritten(Block(begin, end), rows, columns, tile.k, writer);
  For& innermost = by_columns.var.valid() ? by_columns : by_rows;
  if (tile.k_blocks == 1 && made_.empty()) {  // then it is the loop that fills Left and Right
    innermost.kind = LoopKind::Pipeline;
    innermost.stages = 2;
  }
  for (For* loop : {&by_columns, &by_rows}) {
    if (!loop->var.valid()) continue;
    loop->body = std::move(body);
    body = {};
    body.push_back({std::move(*loop)});
  }
  if (p_[drained_].space == MemorySpace::Mat) {
    Op scratch;
    scratch.kind = OpKind::Create;
    scratch.dst = drained_;
    scratch.space = MemorySpace::Mat;
    scratch.place = place;
    body.insert(body.begin(), {std::move(scratch)});
  }
  block_->erase(begin, end);
  block_->insert(block_->begin() + static_cast<std::ptrdiff_t>(begin_),
                 std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
}

Block OutputWindows::rewritten(Block block, const Cut& rows, const Cut& columns, int64_t k,
                               ProductWriter& writer) {
  Block out;
  for (Stmt& s : block) {
    auto* op = s.as<Op>();
    if (!op) {
      for_each_body(s, [&](Block& body) {
        body = rewritten(std::move(body), rows, columns, k, writer);
      });
    } else if (op_family(op->kind) == OpFamily::Matmul) {
      Op product = from_mat(*op, in_mat_);
      const auto at = [&](std::size_t i, const Cut& cut) {  // a narrowed tile begins at the window
        return made_.contains(product.args[i]) ? Cut{0, cut.size} : cut;
      };
      if (product.kind == OpKind::MatmulBias) {
        product.args[2] = in_mat_.at(product.args[2]);
        product.args[2] = writer.bias(product, at(2, columns), out);
      }
      for (Stmt& part : writer.write(product, at(0, rows), at(1, columns), k))
        out.push_back(std::move(part));
      continue;
    } else if (in_mat_.contains(op->dst)) {
      continue;
    } else if (drains(*op)) {
      drain_window(*op, rows, columns);
    } else if (const auto made = made_.find(op->dst); made != made_.end()) {
      narrow(*op, made->second, made->second.rows ? rows : columns);
    }
    out.push_back(std::move(s));
  }
  return out;
}

void OutputWindows::drain_window(Op& op, const Cut& rows, const Cut& columns) const {
  if (op.kind == OpKind::Move) {  // of the whole: now each window has its place
    op.kind = OpKind::Assemble;
    op.space.reset();
    op.inserted = false;
    op.offset.assign(p_[op.dst].shape.size(), 0);
  }
  Expr& row = op.offset[op.offset.size() - 2];
  row = row + rows.begin;
  op.offset.back() = op.offset.back() + columns.begin;
}

void OutputWindows::narrow(Op& load, const Role& role, const Cut& cut) const {
  const std::size_t rank = p_[load.dst].shape.size();
  const std::size_t dropped = load.offset.size() - rank;
  Expr& offset =
      load.offset[dropped + (load.transpose ? rank - 1 - role.dimension : role.dimension)];
  offset = offset + cut.begin;
  if (!load.valid.empty()) load.valid[role.dimension] = cut.size;
}

}  // namespace tilewright::compile
