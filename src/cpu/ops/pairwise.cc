#include "tilewright/cpu/ops/pairwise.h"

#include "tilewright/cpu/ops/makers.h"

namespace tilewright::cpu::ops {

Broadcast::Broadcast(const Operand& o, const Operand& result) : operand_(o) {
  const std::size_t missing = result.dims() - o.dims();
  for (std::size_t d = 0; d < result.dims(); ++d) {
    from_[d] = d < missing ? -1 : static_cast<int>(d - missing);
    moves_[d] = d >= missing && o.shape[d - missing] != 1;
  }
}

DType common_type(const OpContext& c) {
  return c.args.size() == 2 ? promote(c.args[0].dtype, c.args[1].dtype) : c.args[0].dtype;
}

Pairwise::Pairwise(const OpContext& c)
    : dst_(c.dst),
      strides_(dense_strides(dst_.rank, dst_.shape)),
      a_(c.args[0], dst_),
      common_(common_type(c)) {
  if (c.args.size() == 2)
    b_.emplace(c.args[1], dst_);
  else
    scalar_.emplace(c);
}

StepPtr binary_step(const OpContext& c, simd::Binary op) {
  return is_float(common_type(c)) ? float_pair_step(c, op) : integer_pair_step(c, op);
}

}  // namespace tilewright::cpu::ops
