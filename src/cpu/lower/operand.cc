#include "tilewright/cpu/lower/operand.h"

#include "tilewright/ir/program.h"
#include "tilewright/ir/valid_extent.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::cpu {

int64_t Operand::elements() const {
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) count *= shape[static_cast<std::size_t>(d)];
  return count;
}

Operand operand_of(const ir::Var& v, std::size_t var) {
  Operand o;
  o.var = var;
  o.dtype = v.dtype;
  o.bytes = bytes_of(v.dtype, 1);
  o.rank = static_cast<int>(v.shape.size());
  std::ranges::copy(v.shape, o.shape.begin());
  if (is_encoded(v.dtype)) {
    o.block = block_elements(v.dtype);
    o.shape[o.dims() - 1] /= o.block;
  }
  return o;
}

Dims dense_strides(int rank, const Dims& shape) {
  Dims s{};
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    s[static_cast<std::size_t>(d)] = stride;
    stride *= shape[static_cast<std::size_t>(d)];
  }
  return s;
}

std::string where(const OpContext& c) {
  return fmt::format("at {}, program {}, scope \"{}\", {}", c.op.place.text(), c.program.name,
                     c.kernel, ir::op_name(c.op.kind));
}

Dims reshaped_valid(const Operand& from, const View& view, const Operand& to) {
  return ir::reshaped_extent({from.shape.data(), from.dims()}, view.valid,
                             {to.shape.data(), to.dims()});
}

}  // namespace tilewright::cpu
