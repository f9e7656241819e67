#include <algorithm>
#include <span>
#include <utility>

#include "tilewright/cpu/lower/chain.h"
#include "tilewright/cpu/lower/control.h"
#include "tilewright/cpu/lower/kernel_operands.h"
#include "tilewright/cpu/lower/merge.h"
#include "tilewright/cpu/ops/ops.h"
#include "tilewright/cpu/lower/read_next.h"
#include "tilewright/cpu/lower/softmax.h"
#include "tilewright/cpu/lower/strips.h"

namespace tilewright::cpu {
namespace {

using StepPtr = std::unique_ptr<Step>;

KernelCode new_code(const ir::Program& program, const ir::Kernel& kernel) {
  KernelCode code;
  code.name = kernel.name;
  code.variables = program.vars.size();
  return code;
}

class Lowering {
 public:
  Lowering(const ir::Program& program, const ir::Kernel& kernel, const ir::Uses& uses,
           const std::vector<PackedArg>& packed)
      : program_(program),
        kernel_(kernel.lowered),
        uses_(uses),
        code_(new_code(program, kernel)),
        operands_(program, kernel, uses, packed, code_),
        made_(kernel_.instructions.size(), false) {}

  KernelCode go() {
    code_.body = block(kernel_.body);
    // Rows of up to four operands and results, in the widest form elements are computed in.
    const int64_t row = std::max(operands_.longest_row(), kMergedRow);
    code_.scratch_bytes = std::max(code_.scratch_bytes, 4 * 8 * row);
    return std::move(code_);
  }

 private:
  const ir::Instruction& instruction(int number) const {
    return kernel_.instructions[static_cast<std::size_t>(number)];
  }

  StepPtr block(const ir::LoweredBlock& body) {
    auto steps = std::make_unique<Sequence>();
    for (std::size_t i = 0; i < body.size(); ++i) {
      make_next_view(std::span(body).subspan(i), *steps);
      std::visit([&](const auto& node) { add(node, *steps); }, body[i].node);
      read_next_.reset();
    }
    return steps;
  }

  // A view that the product nodes[0] can fetch for what comes after it is made before its turn.
  void make_next_view(std::span<const ir::LoweredNode> nodes, Sequence& out) {
    const auto view = view_read_next(program_, kernel_, uses_, nodes);
    if (!view) return;
    issue(*view, out);
    made_[static_cast<std::size_t>(*view)] = true;
    read_next_ = operands_[instruction(*view).op.dst];
  }

  void add(const ir::LoweredNode::Issue& node, Sequence& out) { issue(node.instruction, out); }
  void add(const ir::LoweredFor& loop, Sequence& out) {
    out.add(std::make_unique<Loop>(loop, block(loop.body)));
  }
  void add(const ir::LoweredWhile& loop, Sequence& out) {
    out.add(std::make_unique<WhileLoop>(loop, block(loop.body)));
  }
  void add(const ir::LoweredIf& branch, Sequence& out) {
    out.add(std::make_unique<Branch>(branch, block(branch.then_body), block(branch.else_body)));
  }
  void add(const ir::Let& let, Sequence& out) { out.add(std::make_unique<Assign>(let)); }
  void add(const ir::Compute& compute, Sequence& out) {
    out.add(std::make_unique<ComputeScalar>(compute, program_));
  }
  void add(const ir::Break&, Sequence& out) { out.add(std::make_unique<Leave>(Flow::Break)); }
  void add(const ir::Continue&, Sequence& out) { out.add(std::make_unique<Leave>(Flow::Continue)); }
  void add(const ir::Group& group, Sequence& out) {
    std::visit([&](const auto& what) { add(what, out); }, group.what);
  }

  void add(const ir::ChainGroup& g, Sequence& out) { out.add(chain_step(g, contexts())); }
  void add(const ir::SoftmaxGroup& g, Sequence& out) { out.add(softmax_step(g, contexts())); }
  void add(const ir::MergeGroup& g, Sequence& out) { out.add(merge_step(g, contexts())); }
  void add(const ir::StripGroup& g, Sequence& out) {
    for (const int view : g.views) issue(view, out);
    std::vector<StripStep::Part> parts;
    for (const ir::StripGroup::Part& p : g.parts) {
      const OpContext c = context(p.instruction);
      parts.push_back({p.view ? ops::view_step(c) : ops::op_step(c), c.dst, p.view, p.kept});
    }
    std::vector<Operand> inputs;
    for (const ir::VarId v : g.inputs) inputs.push_back(operands_[v]);
    out.add(std::make_unique<StripStep>(std::move(parts), std::move(inputs), g.rows_at_once));
  }

  OpContext context(int number) const { return operands_.context(instruction(number).op); }
  ContextOf contexts() const {
    return [this](int number) { return context(number); };
  }

  void issue(int number, Sequence& out) {
    const ir::Instruction& in = instruction(number);
    if (made_[static_cast<std::size_t>(number)]) return;
    if (in.action == ir::Action::Read)
      out.add(std::make_unique<ReadElement>(in.read, operands_[in.read.array]));
    else if (in.is_view())
      out.add(ops::view_step(context(number)));
    else
      compute(context(number), out);
  }

  // An op whose result is an argument, or one of its own operands in another order, computes it in
  // a tile of its own first.
  void compute(OpContext c, Sequence& out) {
    c.read_next = read_next_;
    const bool stores = c.op.kind == ir::OpKind::Assemble || c.op.kind == ir::OpKind::Store;
    const bool to_arg = uses_.is_argument(c.op.dst) && !stores;
    const bool overlaps = std::ranges::find(c.op.args, c.op.dst) != c.op.args.end() &&
                          ir::op_family(c.op.kind) != ir::OpFamily::Elementwise;
    if (!to_arg && !overlaps) return out.add(ops::op_step(c));
    const Operand to = std::exchange(c.dst, operands_.temporary(c.dst));
    if (ir::reads_dst(c.op)) out.add(ops::copy_step(to, c.dst));
    out.add(ops::op_step(c));
    out.add(to_arg ? ops::store_whole_step(c.dst, to) : ops::copy_step(c.dst, to));
  }

  const ir::Program& program_;
  const ir::LoweredKernel& kernel_;
  const ir::Uses& uses_;
  KernelCode code_;
  KernelOperands operands_;
  std::vector<bool> made_;            // by instruction: a view that was made before its turn
  std::optional<Operand> read_next_;  // of the product that is being lowered
};

}  // namespace

KernelCode lower_kernel(const ir::Program& program, const ir::Kernel& kernel, const ir::Uses& uses,
                        const std::vector<PackedArg>& packed) {
  return Lowering(program, kernel, uses, packed).go();
}

}  // namespace tilewright::cpu
