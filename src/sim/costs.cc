#include "tilewright/sim/costs.h"

#include <algorithm>
#include <cmath>

namespace tilewright::sim {
namespace {

constexpr int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

Costs::Costs(const platform::Platform& p)
    : t_(*p.timing),
      cube_(p),
      ps_per_cycle_(1000.0 / p.clock_ghz),
      fractal_rows_(p.fractal_rows),
      fractal_bytes_(p.fractal_bytes) {}

int64_t Costs::from_cycles(double cycles) const { return std::llround(cycles * ps_per_cycle_); }
int64_t Costs::from_ns(double ns) { return std::llround(ns * 1000.0); }

int64_t Costs::hbm_cost(const Transfer& t) const {
  return t.bytes() + std::llround(static_cast<double>(t.runs) * t_.memory.hbm_run_bytes);
}

int64_t Costs::load_to_mat(const Transfer& t) const {
  const double row = std::max(t_.gm.row_cycles, static_cast<double>(t.row_bytes) / t_.gm.l1_bytes_per_cycle);
  return from_ns(t_.gm.l1_issue_ns) + from_cycles(static_cast<double>(t.rows) * row);
}

int64_t Costs::load_to_vec(const Transfer& t) const {
  const double row = std::max(t_.gm.row_cycles, static_cast<double>(t.row_bytes) / t_.gm.ub_bytes_per_cycle);
  return from_ns(t_.gm.ub_issue_ns) + from_cycles(static_cast<double>(t.rows) * row);
}

int64_t Costs::store_from_vec(const Transfer& t) const {
  const double row = std::max(t_.gm.store_row_cycles, static_cast<double>(t.row_bytes) / t_.gm.store_bytes_per_cycle);
  return from_ns(t_.gm.ub_issue_ns) + from_cycles(static_cast<double>(t.rows) * row);
}

int64_t Costs::drain(ir::RowsCols acc) const {
  return from_cycles(cube_.drain(acc.rows, acc.cols));
}

int64_t Costs::to_left(int64_t bytes) const {
  return from_cycles(cube_.to_left(static_cast<double>(bytes)));
}
int64_t Costs::to_right(int64_t bytes) const {
  return from_cycles(cube_.to_right(static_cast<double>(bytes)));
}
int64_t Costs::acc_to_vec(int64_t bytes) const {
  return from_cycles(static_cast<double>(bytes) / t_.cross.acc_to_vec_bytes_per_cycle);
}
int64_t Costs::vec_to_mat(int64_t bytes) const {
  return from_cycles(static_cast<double>(bytes) / t_.cross.vec_to_mat_bytes_per_cycle);
}

int64_t Costs::matmul(int64_t m, int64_t k, int64_t n, DType operand) const {
  return from_cycles(cube_.multiply(m, k, n, operand));
}

int64_t Costs::least_matmul(int64_t macs, DType operand) const {
  const int64_t kt = std::max<int64_t>(1, fractal_bytes_ * 8 / bits(operand));
  const double passes = operand == DType::F32 ? t_.cube.fp32_passes : 1.0;
  return from_cycles(passes * static_cast<double>(macs) / static_cast<double>(fractal_rows_ * kt * fractal_rows_));
}

int64_t Costs::vector(VectorClass c, ir::RowsCols e, int widest) const {
  const platform::VectorCost& v = t_.vector[static_cast<std::size_t>(c)];
  const double width = static_cast<double>(widest) / 32.0;
  return from_cycles(v.bias_cycles + v.row_cycles * static_cast<double>(e.rows) +
                     v.element_cycles * width * static_cast<double>(e.elements()));
}

int64_t Costs::padded_bytes(ir::RowsCols e, DType dtype) const {
  const int64_t block = std::max<int64_t>(1, fractal_bytes_ * 8 / bits(dtype));
  return bytes_of(dtype, div_up(e.rows, fractal_rows_) * fractal_rows_ * div_up(e.cols, block) * block);
}

}  // namespace tilewright::sim
