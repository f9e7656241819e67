#include <algorithm>
#include <optional>
#include <span>

#include "tilewright/base/check.h"
#include "tilewright/cpu/chain.h"
#include "tilewright/cpu/control.h"
#include "tilewright/cpu/kernel_code.h"
#include "tilewright/cpu/merge.h"
#include "tilewright/cpu/ops/ops.h"
#include "tilewright/cpu/read_next.h"
#include "tilewright/cpu/softmax.h"
#include "tilewright/cpu/strips.h"
#include "tilewright/ir/walk.h"

namespace tilewright::cpu {
namespace {

using ir::OpKind;
using StepPtr = std::unique_ptr<Step>;

class Lowering {
 public:
  Lowering(const ir::Program& program, const ir::Kernel& kernel, const Aliases& aliases,
           const std::vector<PackedArg>& packed)
      : program_(program), kernel_(kernel), aliases_(aliases) {
    code_.name = kernel.name;
    code_.variables = program.vars.size();
    operands_.resize(program.vars.size());
    packed_row_.resize(program.vars.size());
    for (std::size_t v = 0; v < program.vars.size(); ++v)
      if (!program.vars[v].scalar) operands_[v] = operand_of(program.vars[v], v);
    is_arg_.assign(program.vars.size(), false);
    for (std::size_t a = 0; a < kernel.args.size(); ++a) {
      const std::size_t v = kernel.args[a].var.index();
      is_arg_[v] = true;
      operands_[v].packed = packed[a].packed;
      packed_row_[v] = packed[a].k;
    }
    place_tiles();
  }

  KernelCode go() {
    code_.body = block(kernel_.body);
    // Rows of up to four operands and results, in the widest form elements are computed in.
    code_.scratch_bytes = std::max(code_.scratch_bytes, 4 * 8 * std::max(longest_row_, kMergedRow));
    return std::move(code_);
  }

 private:
  void place_tiles() {
    std::vector<bool> seen(program_.vars.size(), false);
    ir::for_each_stmt(kernel_.body, [&](const ir::Stmt& s) {
      ir::for_each_array_use(s, [&](ir::VarId v, bool) {
        longest_row_ = std::max(longest_row_, operands_[v.index()].cols());
        if (seen[v.index()] || is_arg_[v.index()] || aliases_.is_alias(v)) return;
        seen[v.index()] = true;
        place(operands_[v.index()]);
      });
    });
    // Views of packed weights are packed, too.
    ir::for_each_op(kernel_.body, [&](const ir::Op& op) {
      if (!aliases_.is_alias(op.dst)) return;
      operands_[op.dst.index()].packed = operands_[op.args[0].index()].packed;
      packed_row_[op.dst.index()] = packed_row_[op.args[0].index()];
    });
  }

  void place(Operand& o) {
    o.tile = code_.tile_bytes;
    // One cache line more than needed: tiles of 4 KiB multiples would share the sets of L1.
    code_.tile_bytes += (o.elements() * o.bytes + 63) / 64 * 64 + 64;
    code_.tiles.push_back({o.var, o.tile, dense_strides(o.rank, o.shape), o.shape});
  }

  StepPtr block(const ir::Block& body) {
    auto steps = std::make_unique<Sequence>();
    std::optional<std::size_t> made;  // a view that was made before its turn
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (made == i) continue;
      if (const auto next = view_read_next(program_, std::span(body).subspan(i), aliases_)) {
        made = i + *next;
        const auto& view = *body[*made].as<ir::Op>();
        operation(view, *steps);
        read_next_ = operands_[view.dst.index()];
      }
      if (auto fused = fused_step(std::span(body).subspan(i))) {
        steps->add(std::move(fused->step));
        i += fused->statements - 1;
      } else if (auto strip = find_strip(program_, before_fused(body, i), aliases_)) {
        add_strip(*strip, *steps);
        i += strip->statements - 1;
      } else {
        statement(body[i], *steps);
      }
      read_next_.reset();
    }
    return steps;
  }

  std::optional<Fused> fused_step(std::span<const ir::Stmt> statements) {
    const Pattern pattern(program_, aliases_);
    const auto of = [&](const ir::Op& op) { return context(op); };
    if (auto weights = softmax_step(statements, pattern, of)) return weights;
    return merge_step(statements, pattern, of);
  }

  // The statements from `first` on, up to those that are a step of their own.
  std::span<const ir::Stmt> before_fused(const ir::Block& body, std::size_t first) {
    const std::span rest = std::span(body).subspan(first);
    for (std::size_t i = 1; i < rest.size(); ++i)
      if (fused_step(rest.subspan(i))) return rest.first(i);
    return rest;
  }

  void add_strip(const Strip& strip, Sequence& out) {
    for (const ir::Op* view : strip.views) operation(*view, out);
    std::vector<StripStep::Part> parts;
    for (const Strip::Part& p : strip.parts) {
      const OpContext c = context(*p.op);
      parts.push_back({p.view ? ops::alias_step(c) : step(c), c.dst, p.view, p.kept});
    }
    std::vector<Operand> inputs;
    for (const ir::VarId v : strip.inputs) inputs.push_back(operands_[v.index()]);
    out.add(std::make_unique<StripStep>(std::move(parts), std::move(inputs), strip.at_once));
  }

  void statement(const ir::Stmt& s, Sequence& out) {
    struct Visitor {
      Lowering& in;
      Sequence& out;
      void operator()(const ir::Op& op) { in.operation(op, out); }
      void operator()(const ir::For& loop) {
        const auto context = [&](const ir::Op& op) { return in.context(op); };
        if (StepPtr chain = chain_step(in.program_, loop, in.aliases_, context))
          return out.add(std::move(chain));
        out.add(std::make_unique<Loop>(loop, in.block(loop.body)));
      }
      void operator()(const ir::While& loop) {
        out.add(std::make_unique<WhileLoop>(loop, in.block(loop.body)));
      }
      void operator()(const ir::If& branch) {
        out.add(std::make_unique<Branch>(branch, in.block(branch.then_body),
                                         in.block(branch.else_body)));
      }
      void operator()(const ir::Scope&) { bug("a scope inside a kernel"); }
      void operator()(const ir::Let& let) { out.add(std::make_unique<Assign>(let)); }
      void operator()(const ir::Read& read) {
        out.add(std::make_unique<ReadElement>(read, in.operands_[read.array.index()]));
      }
      void operator()(const ir::Break&) { out.add(std::make_unique<Leave>(Flow::Break)); }
      void operator()(const ir::Continue&) { out.add(std::make_unique<Leave>(Flow::Continue)); }
    };
    std::visit(Visitor{*this, out}, s.node);
  }

  Operand temporary(const Operand& like) {
    Operand o = like;
    o.var = code_.variables++;
    o.packed = false;
    place(o);
    return o;
  }

  OpContext context(const ir::Op& op) {
    OpContext c{program_,
                op,
                kernel_.name,
                operands_[op.dst.index()],
                {},
                code_.left_bytes,
                code_.scratch_bytes,
                packed_row_[op.dst.index()],
                read_next_};
    for (const ir::VarId a : op.args) c.args.push_back(operands_[a.index()]);
    return c;
  }

  // An op whose result is an argument, or one of its own operands in another order, computes it in
  // a tile of its own first.
  void operation(const ir::Op& op, Sequence& out) {
    OpContext c = context(op);
    if (aliases_.is_alias(op.dst)) return out.add(ops::alias_step(c));
    const bool stores = op.kind == OpKind::Assemble || op.kind == OpKind::Store;
    const bool to_arg = is_arg_[op.dst.index()] && !stores;
    const bool overlaps = std::ranges::find(op.args, op.dst) != op.args.end() &&
                          ir::op_family(op.kind) != ir::OpFamily::Elementwise;
    if (!to_arg && !overlaps) return out.add(step(c));
    const Operand to = c.dst;
    c.dst = temporary(to);
    if (ir::reads_dst(op)) out.add(copy_step(c, to, c.dst));
    out.add(step(c));
    out.add(to_arg ? ops::store_whole_step(c.dst, to) : copy_step(c, c.dst, to));
  }

  StepPtr copy_step(const OpContext& c, const Operand& from, const Operand& to) {
    static const ir::Op kCopy = [] {
      ir::Op op;
      op.kind = OpKind::Copy;
      return op;
    }();
    return ops::layout_step({c.program, kCopy, c.kernel, to, {from}, c.left, c.scratch});
  }

  static StepPtr step(const OpContext& c) {
    switch (ir::op_family(c.op.kind)) {
      case ir::OpFamily::Memory: return ops::memory_step(c);
      case ir::OpFamily::Layout: return ops::layout_step(c);
      case ir::OpFamily::Matmul: return ops::matmul_step(c);
      case ir::OpFamily::Elementwise: return ops::elementwise_step(c);
      case ir::OpFamily::Reduce: return ops::reduce_step(c);
      case ir::OpFamily::Sort: return ops::sort_step(c);
    }
    bug("op family");
  }

  const ir::Program& program_;
  const ir::Kernel& kernel_;
  const Aliases& aliases_;
  KernelCode code_;
  std::vector<Operand> operands_;
  std::vector<std::size_t> packed_row_;
  std::vector<bool> is_arg_;
  std::optional<Operand> read_next_;  // of the product that is being lowered
  int64_t longest_row_ = 1;
};

}  // namespace

KernelCode lower_kernel(const ir::Program& program, const ir::Kernel& kernel,
                        const Aliases& aliases, const std::vector<PackedArg>& packed) {
  return Lowering(program, kernel, aliases, packed).go();
}

}  // namespace tilewright::cpu
