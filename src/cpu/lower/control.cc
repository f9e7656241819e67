#include "tilewright/cpu/lower/control.h"

#include "tilewright/cpu/ops/numbers.h"
#include "tilewright/ir/program.h"

namespace tilewright::cpu {

Flow Loop::run(Frame& f) const {
  const int64_t start = start_.value(f);
  const int64_t stop = stop_.value(f);
  // In 128 bits, where the counter cannot overflow.
  for (__int128 i = start; step_ > 0 ? i < stop : i > stop; i += step_) {
    f.integers[variable_] = static_cast<int64_t>(i);
    if (body_->run(f) == Flow::Break) break;
  }
  return Flow::Next;
}

Flow WhileLoop::run(Frame& f) const {
  while (condition_.holds(f))
    if (body_->run(f) == Flow::Break) break;
  return Flow::Next;
}

namespace {

Number number_of(const ir::ScalarOperand& o, const ir::Program& program) {
  return {o, o.kind == ir::ScalarOperand::Kind::Variable && is_float(program[o.variable].dtype)};
}

}  // namespace

ComputeScalar::ComputeScalar(const ir::Compute& c, const ir::Program& program)
    : variable_(c.var.index()),
      dtype_(program[c.var].dtype),
      math_(c.math),
      a_(number_of(c.a, program)),
      b_(number_of(c.b, program)) {}

Flow ComputeScalar::run(Frame& f) const {
  const ir::ScalarNumber v = ir::computed(math_, a_.number(f), b_.number(f), dtype_);
  if (v.is_float)
    f.floats[variable_] = v.real;
  else
    f.integers[variable_] = v.integer;
  return Flow::Next;
}

Flow ReadElement::run(Frame& f) const {
  const View& v = f.views[array_.var];
  int64_t at = 0;
  for (std::size_t d = 0; d < index_.size(); ++d) at += index_[d].value(f) * v.stride[d];
  const std::byte* element = v.data + at * array_.bytes;
  if (is_float(array_.dtype)) {
    float buffer = 0;
    f.floats[variable_] = *float_row(*f.kernels, array_.dtype, element, 1, 1, &buffer);
  } else {
    integer_row(array_.dtype, element, 1, 1, &f.integers[variable_]);
  }
  return Flow::Next;
}

}  // namespace tilewright::cpu
