#include "tilewright/cpu/bind/packing.h"

#include <algorithm>

namespace tilewright::cpu {
namespace {

using simd::kPanel;

// The uses of one argument in one kernel: they agree on which dimension is k, or it is not packed.
class WeightUse {
 public:
  WeightUse(const ir::Program& program, const ir::LoweredKernel& kernel, const ir::Uses& uses,
            const PackedArg& how)
      : program_(program), kernel_(kernel), uses_(uses), how_(how) {}

  std::optional<std::size_t> reduced_dimension(ir::VarId arg) {
    if (!uses_.writers(arg).empty() || uses_.read_as_scalar(arg)) return std::nullopt;
    for (const int reader : uses_.readers(arg))
      if (!is_window(op(reader))) return std::nullopt;
    return k_;
  }

 private:
  const ir::Op& op(int instruction) const {
    return kernel_.instructions[static_cast<std::size_t>(instruction)].op;
  }
  bool is_window(const ir::Op& op) {
    if (ir::op_info(op.kind).view != ir::ViewKind::Window || !uses_.is_view(op.dst)) return false;
    if (program_[op.dst].shape.size() != 2 || !is_multiplied(op.dst)) return false;
    if (how_.panels != simd::Panels::Rows && !in_whole_groups(op)) return false;
    return multiple_of(op.offset[1 - k_.value()], kPanel);
  }
  // Whether the window begins and ends with groups of k, or ends with the weight: what fills up its
  // last group must be zero.
  bool in_whole_groups(const ir::Op& op) const {
    const std::size_t k = k_.value();
    const int64_t depth = program_[op.dst].shape[k];
    if (!op.valid.empty() && !(op.valid[k] == ir::Expr(depth))) return false;
    if (depth == program_[op.args[0]].shape[k]) return true;
    return depth % simd::kGroupK == 0 && multiple_of(op.offset[k], simd::kGroupK);
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
    if (program_[op.args[0]].shape.size() != 2) return false;
    const std::size_t k = op.b_trans ? 1 : 0;
    if (k_ && *k_ != k) return false;
    k_ = k;
    return true;
  }

  const ir::Program& program_;
  const ir::LoweredKernel& kernel_;
  const ir::Uses& uses_;
  const PackedArg& how_;
  std::optional<std::size_t> k_;
};

bool can_be_packed(DType t) { return t == DType::BF16 || t == DType::I8 || is_encoded(t); }

// Panels of bytes and of encoded weights are the same for all instruction sets.
simd::Panels panels_of(DType t, simd::Panels of_bf16) {
  if (t == DType::I8) return simd::Panels::Quads;
  return is_encoded(t) ? simd::Panels::Rows : of_bf16;
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
  std::vector<std::vector<std::optional<std::optional<std::size_t>>>> known(plan.kernels.size());
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
      const PackedArg how{true, 0, panels_of(var.dtype, panels), var.dtype};
      if (!answers[a])
        answers[a] = WeightUse(program, kernel.lowered, uses[task.kernel.index()], how)
                         .reduced_dimension(kernel.args[a].var);
      const std::optional<std::size_t> k = *answers[a];
      const bool agrees = k && sees_all(ref, var) && (!choice[p] || choice[p]->k == *k);
      if (!agrees) refused[p] = true;
      if (k) {
        choice[p] = how;
        choice[p]->k = *k;
      }
    }
  }
  for (std::size_t p = 0; p < choice.size(); ++p)
    if (refused[p]) choice[p].reset();
  return choice;
}

}  // namespace tilewright::cpu
