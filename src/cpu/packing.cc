#include "tilewright/cpu/packing.h"

#include <algorithm>

#include "tilewright/base/check.h"

namespace tilewright::cpu {
namespace {

using ir::OpKind;
using simd::kPanel;

// Whether every value of the expression is a multiple of kPanel, as far as its form tells.
bool starts_at_panel(const ir::Expr& e) {
  return e.constant() % kPanel == 0 && std::ranges::all_of(e.terms(), [](const ir::Term& t) {
           return t.coefficient % kPanel == 0;
         });
}

bool is_matmul(OpKind k) {
  return k == OpKind::Matmul || k == OpKind::MatmulAcc || k == OpKind::MatmulBias ||
         k == OpKind::Gemv;
}

// The uses of one argument in one kernel: they agree on which dimension is k, or it is not packed.
class Uses {
 public:
  Uses(const ir::Program& program, const Aliases& aliases) : program_(program), aliases_(aliases) {}

  std::optional<std::size_t> reduced_dimension(ir::VarId arg) {
    if (!aliases_.writers(arg).empty() || aliases_.read_as_scalar(arg)) return std::nullopt;
    for (const ir::Op* op : aliases_.readers(arg)) {
      if ((op->kind != OpKind::Slice && op->kind != OpKind::Load) || !window(*op))
        return std::nullopt;
    }
    return k_;
  }

 private:
  bool window(const ir::Op& op) {
    if (!aliases_.is_alias(op.dst) || program_[op.dst].shape.size() != 2) return false;
    if (!multiplied(op.dst)) return false;
    return starts_at_panel(op.offset[1 - k_.value()]);
  }
  bool multiplied(ir::VarId v) {
    if (aliases_.readers(v).empty() || aliases_.read_as_scalar(v)) return false;
    return std::ranges::all_of(aliases_.readers(v), [&](const ir::Op* op) {
      if (op->kind == OpKind::Move && aliases_.is_alias(op->dst)) return multiplied(op->dst);
      if (!is_matmul(op->kind) || op->args[1] != v || op->args[0] == v) return false;
      if (program_[op->args[0]].shape.size() != 2) return false;
      const std::size_t k = op->b_trans ? 1 : 0;
      if (k_ && *k_ != k) return false;
      k_ = k;
      return true;
    });
  }

  const ir::Program& program_;
  const Aliases& aliases_;
  std::optional<std::size_t> k_;
};

bool sees_all(const ir::TensorRef& ref, const ir::Var& var) {
  return ref.base == 0 && ref.rank == 2 && ref.shape[0] == var.shape[0] &&
         ref.shape[1] == var.shape[1] && ref.stride[0] == var.shape[1];
}

}  // namespace

std::vector<std::optional<PackedArg>> choose_packing(const ir::Plan& plan,
                                                     const ir::TaskGraph& graph,
                                                     const std::vector<Aliases>& aliases) {
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
      const ir::TensorRef& ref = graph.args[task.args_begin + a];
      if (!ref.buffer.valid() || graph.buffers[ref.buffer.index()].param < 0) continue;
      const auto p = static_cast<std::size_t>(graph.buffers[ref.buffer.index()].param);
      const ir::Var& var = program[program.params[p].var];
      if (program.params[p].role != ir::Role::Weight || var.dtype != DType::BF16 ||
          var.shape.size() != 2)
        continue;
      if (!answers[a])
        answers[a] =
            Uses(program, aliases[task.kernel.index()]).reduced_dimension(kernel.args[a].var);
      const std::optional<std::size_t> k = *answers[a];
      const bool agrees = k && sees_all(ref, var) && (!choice[p] || choice[p]->k == *k);
      if (!agrees) refused[p] = true;
      if (k) choice[p] = PackedArg{true, *k};
    }
  }
  for (std::size_t p = 0; p < choice.size(); ++p)
    if (refused[p]) choice[p].reset();
  return choice;
}

int64_t panel_count(const Shape& shape, const PackedArg& how) {
  return (shape[1 - how.k] + kPanel - 1) / kPanel;
}

int64_t packed_elements(const Shape& shape, const PackedArg& how) {
  return panel_count(shape, how) * kPanel * shape[how.k];
}

namespace {

// One k of a panel whose columns lie in a row: column c beside column c + 16.
void pack_row(const uint16_t* from, int64_t real, uint16_t* to) {
  constexpr int64_t kHalf = kPanel / 2;
  if (real == kPanel) {
    for (int64_t c = 0; c < kHalf; ++c) {
      to[2 * c] = from[c];
      to[2 * c + 1] = from[kHalf + c];
    }
    return;
  }
  for (int64_t c = 0; c < kPanel; ++c)
    to[simd::panel_position(c)] = c < real ? from[c] : uint16_t{0};
}

// Eight panels at a time: 512 bytes of each row, so that a page is not opened for one cache line.
void pack_rows(const uint16_t* x, int64_t depth, int64_t cols, int64_t first, int64_t last,
               uint16_t* to) {
  constexpr int64_t kTogether = 8;
  for (int64_t group = first; group < last; group += kTogether)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t panel = group; panel < std::min(last, group + kTogether); ++panel)
        pack_row(x + k * cols + panel * kPanel, std::min(kPanel, cols - panel * kPanel),
                 to + (panel * depth + k) * kPanel);
}

// Columns that lie in rows of their own, in blocks of k that stay in L1.
void pack_columns(const uint16_t* x, int64_t depth, int64_t cols, int64_t first, int64_t last,
                  uint16_t* to) {
  constexpr int64_t kBlock = 64;
  for (int64_t panel = first; panel < last; ++panel) {
    uint16_t* out = to + panel * depth * kPanel;
    const int64_t n0 = panel * kPanel;
    for (int64_t k0 = 0; k0 < depth; k0 += kBlock)
      for (int64_t c = 0; c < kPanel; ++c) {
        uint16_t* column = out + simd::panel_position(c);
        const bool real = n0 + c < cols;
        for (int64_t k = k0; k < std::min(depth, k0 + kBlock); ++k)
          column[k * kPanel] = real ? x[(n0 + c) * depth + k] : uint16_t{0};
      }
  }
}

}  // namespace

void pack_panels(const HostArray& from, const PackedArg& how, int64_t first, int64_t last,
                 uint16_t* to) {
  const auto* x = from.as<uint16_t>().data();
  const int64_t depth = from.shape()[how.k];
  const int64_t cols = from.shape()[1 - how.k];
  if (how.k == 0)
    pack_rows(x, depth, cols, first, last, to);
  else
    pack_columns(x, depth, cols, first, last, to);
}

}  // namespace tilewright::cpu
