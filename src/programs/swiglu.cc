#include "tilewright/programs/swiglu.h"

namespace tilewright::programs {

using namespace dsl;

Tile silu_times(const Tile& gate, const Tile& up) {
  const Tile sigmoid = recip(add(exp(neg(gate)), 1.0)).named("sigmoid");
  return mul(mul(gate, sigmoid), up);
}

void swiglu_block(Builder& p, const Tensor& out, const Indices& at, const Matrix& x,
                  const Rows& rows, const Matrix& w_gate, const Matrix& w_up, const Index& n0,
                  int64_t n_tile, const Chain& c, SwigluForm form) {
  const Rows local{0, rows.tile, rows.valid, rows.partial};
  const Columns gate_columns{w_gate, n0}, up_columns{w_up, n0};
  const Left left = rows_of(x, rows, c.k_tile);
  const Tensor gate = p.tensor("gate_acc", {rows.tile, n_tile}, w_gate.sum_type());
  const Tensor up = p.tensor("up_acc", {rows.tile, n_tile}, w_up.sum_type());
  if (form == SwigluForm::TwoTasks) {
    auto core = p.incore("gate_up");
    const auto sums = project_sums(p, left, rows, {gate_columns, up_columns}, n_tile, c);
    assemble(gate, sums[0], {0, 0});
    assemble(up, sums[1], {0, 0});
  } else {
    {
      auto core = p.incore("gate");
      assemble(gate, project_sums(p, left, rows, {gate_columns}, n_tile, c)[0], {0, 0});
    }
    auto core = p.incore("up");
    assemble(up, project_sums(p, left, rows, {up_columns}, n_tile, c)[0], {0, 0});
  }
  auto core = p.incore("silu");
  const Tile g =
      numbers_of(load_rows(gate, local, n_tile, 0), x.scales, rows, gate_columns, n_tile);
  const Tile u = numbers_of(load_rows(up, local, n_tile, 0), x.scales, rows, up_columns, n_tile);
  assemble(out, cast(silu_times(g, u), out.dtype()), at);
}

void swiglu(Builder& p, const Tensor& out, const Matrix& x, const Rows& rows, const Matrix& w_gate,
            const Matrix& w_up, const Chain& c, const Blocks& b, SwigluForm form) {
  const int64_t blocks = p.exact_div(out.dim(1), b.n_tile);
  if (form == SwigluForm::OneTask) {
    block_tasks(p, "swiglu", blocks, b.per_task,
                [&](const Index& block) {
                  const Index n0 = block * b.n_tile;
                  const auto sums =
                      project(p, rows_of(x, rows, c.k_tile), rows, {w_gate, w_up}, n0, b.n_tile, c);
                  assemble(out, cast(silu_times(sums[0], sums[1]), out.dtype()), {rows.first, n0});
                },
                {.split = Split::UpDown});
    return;
  }
  for (Index block : p.parallel(blocks).named("block")) {
    const Index n0 = block * b.n_tile;
    swiglu_block(p, out, {rows.first, n0}, x, rows, w_gate, w_up, n0, b.n_tile, c, form);
  }
}

}  // namespace tilewright::programs
