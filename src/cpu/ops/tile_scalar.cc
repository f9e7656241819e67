#include "tilewright/cpu/ops/tile_scalar.h"

#include <fmt/format.h>

#include <cmath>

#include "tilewright/base/diagnostic.h"
#include "tilewright/ir/program.h"

namespace tilewright::cpu::ops {

TileScalar::TileScalar(const OpContext& c)
    : number_(c.op.scalar.value(), c.op.scalar->kind == ir::ScalarOperand::Kind::Variable &&
                                       is_float(c.program[c.op.scalar->variable].dtype)),
      dtype_(c.op.kind == ir::OpKind::Arange ? DType::Index
             : c.args.empty()                ? c.dst.dtype
                                             : c.args[0].dtype),
      what_(ir::op_name(c.op.kind)),
      where_(where(c)) {}

int64_t TileScalar::as_whole(const Frame& f) const {
  const double v = number_.as_double(f);
  const bool in_range = v >= lowest_value(dtype_) && v <= highest_value(dtype_);
  if (in_range && number_.is_integer()) return number_.as_integer(f);
  if (in_range && v == std::trunc(v) && std::fabs(v) < 0x1p63) return static_cast<int64_t>(v);
  program_error("range", fmt::format("{} with the scalar {} in {}", what_, v, dtype_name(dtype_)),
             where_,
             fmt::format("an integer tile takes whole numbers from {} to {}", lowest_value(dtype_),
                         highest_value(dtype_)),
             "cast the tile to FP32 first");
}

}  // namespace tilewright::cpu::ops
