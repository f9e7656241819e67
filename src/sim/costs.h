// How long one instruction holds its pipe, in picoseconds, from the numbers of a platform. No
// formula here knows a kernel.
#pragma once

#include <cstdint>

#include "tilewright/ir/valid_extent.h"
#include "tilewright/platform/cube_costs.h"
#include "tilewright/platform/platform.h"

namespace tilewright::sim {

// A transfer between GM and a core: what crosses, and how it lies in GM.
struct Transfer {
  int64_t rows = 1;       // as the engine sees them
  int64_t row_bytes = 0;
  int64_t runs = 1;       // contiguous pieces in GM
  int64_t bytes() const { return rows * row_bytes; }
};

class Costs {
 public:
  explicit Costs(const platform::Platform& p);

  int64_t from_cycles(double cycles) const;
  static int64_t from_ns(double ns);

  // What the transfer costs HBM, in bytes, when none of it is in L2.
  int64_t hbm_cost(const Transfer& t) const;
  int64_t load_to_mat(const Transfer& t) const;
  int64_t load_to_vec(const Transfer& t) const;
  int64_t store_from_vec(const Transfer& t) const;
  int64_t drain(ir::RowsCols acc) const;  // out of the accumulator
  int64_t to_left(int64_t bytes) const;
  int64_t to_right(int64_t bytes) const;
  int64_t acc_to_vec(int64_t bytes) const;
  int64_t vec_to_mat(int64_t bytes) const;
  int64_t matmul(int64_t m, int64_t k, int64_t n, DType operand) const;
  // With every fractal full and no start-up.
  int64_t least_matmul(int64_t macs, DType operand) const;
  // `widest` is the largest element of operands and result, in bits.
  int64_t vector(VectorClass c, ir::RowsCols e, int widest) const;

  const platform::Timing& timing() const { return t_; }
  int64_t fractal_rows() const { return fractal_rows_; }
  int64_t padded_bytes(ir::RowsCols e, DType dtype) const;  // in cube memories

 private:
  platform::Timing t_;
  platform::CubeCosts cube_;
  double ps_per_cycle_;
  int64_t fractal_rows_, fractal_bytes_;
};

}  // namespace tilewright::sim
