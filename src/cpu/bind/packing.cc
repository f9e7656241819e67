#include "tilewright/cpu/bind/packing.h"

#include <algorithm>

namespace tilewright::cpu {
namespace {

using simd::kPanel;

// How a weight is packed for products with such a left operand.
simd::Panels panels_for(DType left, DType weight, simd::Panels of_bf16) {
  if (weight == DType::F16) return simd::Panels::InOrder;
  if (weight == DType::I8) return simd::Panels::Quads;
  // Panels of bytes and of encoded weights are the same for all instruction sets, and FP32 rows are
  // multiplied by fma.
  return weight == DType::BF16 && left == DType::BF16 ? of_bf16 : simd::Panels::Rows;
}

// The uses of one argument in one kernel: they agree on how it is packed, or it is not packed.
class WeightUse {
 public:
  WeightUse(const ir::Program& program, const ir::LoweredKernel& kernel, const ir::Uses& uses,
            simd::Panels of_bf16)
      : program_(program), kernel_(kernel), uses_(uses), of_bf16_(of_bf16) {}

  std::optional<PackedArg> packing(ir::VarId arg) {
    if (!uses_.writers(arg).empty() || uses_.read_as_scalar(arg)) return std::nullopt;
    for (const int reader : uses_.readers(arg))
      if (!is_window(op(reader))) return std::nullopt;
    return how_;
  }

 private:
  const ir::Op& op(int instruction) const {
    return kernel_.instructions[static_cast<std::size_t>(instruction)].op;
  }
  bool is_window(const ir::Op& op) {
    if (ir::op_info(op.kind).view != ir::ViewKind::Window || !uses_.is_view(op.dst)) return false;
    if (program_[op.dst].shape.size() != 2 || !is_multiplied(op.dst)) return false;
    if (!in_whole_groups(op)) return false;
    return multiple_of(op.offset[1 - how_->k], kPanel);
  }
  // Whether the window begins and ends with groups of k, or ends with the weight: what fills up its
  // last group must be zero.
  bool in_whole_groups(const ir::Op& op) const {
    const std::size_t k = how_->k;
    const int64_t group = simd::group_depth(how_->panels);
    if (group == 1) return true;
    const int64_t depth = program_[op.dst].shape[k];
    if (!op.valid.empty() && !(op.valid[k] == ir::Expr(depth))) return false;
    if (depth == program_[op.args[0]].shape[k]) return true;
    return depth % group == 0 && multiple_of(op.offset[k], group);
  }
  bool is_multiplied(ir::VarId v) {
    if (uses_.readers(v).empty() || uses_.read_as_scalar(v)) return false;
    return std::ranges::all_of(uses_.readers(v),
                               [&](int reader) { return multiplies(op(reader), v); });
  }
  bool multiplies(const ir::Op& op, ir::VarId v) {
    if (op.kind == ir::OpKind::Move && uses_.is_view(op.dst)) return is_multiplied(op.dst);
    if (ir::op_family(op.kind) != ir::OpFamily::Matmul || op.args[1] != v || op.args[0] == v)
      return false;
    const ir::Var& left = program_[op.args[0]];
    if (left.shape.size() != 2) return false;
    const DType type = program_[v].dtype;
    const PackedArg how{true, op.b_trans ? std::size_t{1} : 0,
                        panels_for(left.dtype, type, of_bf16_), type};
    if (how_ && *how_ != how) return false;
    how_ = how;
    return true;
  }

  const ir::Program& program_;
  const ir::LoweredKernel& kernel_;
  const ir::Uses& uses_;
  simd::Panels of_bf16_;
  std::optional<PackedArg> how_;
};

bool can_be_packed(DType t) {
  return t == DType::BF16 || t == DType::F16 || t == DType::I8 || is_encoded(t);
}

bool sees_all(const ir::TensorRef& ref, const ir::Var& var) {
  return ref.base == 0 && ref.rank == 2 && ref.shape[0] == var.shape[0] &&
         ref.shape[1] == var.shape[1] && ref.stride[0] == var.shape[1];
}

}  // namespace

std::vector<std::optional<PackedArg>> choose_packing(const ir::Plan& plan,
                                                     const ir::TaskGraph& graph,
                                                     const std::vector<ir::Uses>& uses,
                                                     simd::Panels panels) {
  const ir::Program& program = plan.program;
  std::vector<std::optional<PackedArg>> choice(program.params.size());
  std::vector<bool> refused(program.params.size(), false);
  // The answer of a kernel about one of its arguments is the same for all of its tasks.
  std::vector<std::vector<std::optional<std::optional<PackedArg>>>> known(plan.kernels.size());
  for (const ir::Task& task : graph.tasks) {
    const ir::Kernel& kernel = plan.kernel(task.kernel);
    auto& answers = known[task.kernel.index()];
    answers.resize(kernel.args.size());
    for (std::size_t a = 0; a < kernel.args.size(); ++a) {
      const ir::TensorRef& ref = graph.arg(task, a);
      if (!ref.buffer.valid() || graph.buffers[ref.buffer.index()].param < 0) continue;
      const auto p = static_cast<std::size_t>(graph.buffers[ref.buffer.index()].param);
      const ir::Var& var = program[program.params[p].var];
      if (program.params[p].role != ir::Role::Weight || var.shape.size() != 2 ||
          !can_be_packed(var.dtype))
        continue;
      if (!answers[a])
        answers[a] = WeightUse(program, kernel.lowered, uses[task.kernel.index()], panels)
                         .packing(kernel.args[a].var);
      const std::optional<PackedArg>& how = *answers[a];
      if (!how || !sees_all(ref, var) || (choice[p] && *choice[p] != *how)) refused[p] = true;
      if (how) choice[p] = how;
    }
  }
  for (std::size_t p = 0; p < choice.size(); ++p)
    if (refused[p]) choice[p].reset();
  return choice;
}

}  // namespace tilewright::cpu
