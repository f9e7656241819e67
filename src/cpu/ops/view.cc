// Results that share the memory of their source: an address, strides and a valid block.
#include "tilewright/base/check.h"
#include "tilewright/cpu/ops/ops.h"
#include "tilewright/cpu/ops/window.h"

namespace tilewright::cpu::ops {
namespace {

// Part of a tile or tensor.
class WindowView : public Step {
 public:
  explicit WindowView(const OpContext& c)
      : dst_(c.dst),
        src_(c.args[0].var),
        window_(c.args[0], dst_.rank, dst_.shape, c.op.offset, c.op.valid) {
    if (c.args[0].packed) window_.set_packed_row(c.packed_row);
  }
  Flow run(Frame& f) const override {
    f.views[dst_.var] = window_.at(f);
    f.generations[dst_.var] = f.generations[src_];
    return Flow::Next;
  }

 private:
  Operand dst_;
  std::size_t src_;
  Window window_;
};

// The same elements, dense, in another shape.
class Relabelled : public Step {
 public:
  explicit Relabelled(const OpContext& c)
      : dst_(c.dst), src_(c.args[0]), strides_(dense_strides(dst_.rank, dst_.shape)) {}
  Flow run(Frame& f) const override {
    const View from = f.views[src_.var];
    f.views[dst_.var] = {from.data, strides_, reshaped_valid(src_, from, dst_)};
    f.generations[dst_.var] = f.generations[src_.var];
    return Flow::Next;
  }

 private:
  Operand dst_, src_;
  Dims strides_;
};

// All elements of the source, of which others may be valid.
class SameView : public Step {
 public:
  explicit SameView(const OpContext& c)
      : dst_(c.dst.var), src_(c.args[0].var), valid_(integers(c.op.valid)) {}
  Flow run(Frame& f) const override {
    View& v = f.views[dst_];
    v = f.views[src_];
    f.generations[dst_] = f.generations[src_];
    for (std::size_t d = 0; d < valid_.size(); ++d) v.valid[d] = valid_[d].value(f);
    return Flow::Next;
  }

 private:
  std::size_t dst_, src_;
  std::vector<Integer> valid_;
};

}  // namespace

StepPtr view_step(const OpContext& c) {
  switch (ir::op_info(c.op.kind).view) {
    case ir::ViewKind::Window: return std::make_unique<WindowView>(c);
    case ir::ViewKind::Relabel: return std::make_unique<Relabelled>(c);
    case ir::ViewKind::Same: return std::make_unique<SameView>(c);
    case ir::ViewKind::Never: break;
  }
  bug("an op whose result is never a view");
}

}  // namespace tilewright::cpu::ops
