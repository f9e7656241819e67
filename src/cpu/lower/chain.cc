#include "tilewright/cpu/lower/chain.h"

#include <array>

#include "tilewright/base/check.h"
#include "tilewright/cpu/ops/product.h"
#include "tilewright/cpu/ops/window.h"

namespace tilewright::cpu {
namespace {

class ChainStep : public Step {
 public:
  ChainStep(const ir::ChainGroup& chain, const ContextOf& context)
      : variable_(chain.variable.index()),
        first_(chain.first),
        depth_(chain.depth),
        starts_(chain.starts),
        left_(window_of(context(chain.parts.front().left))),
        left_factor_{context(chain.parts.front().left).args[0], false} {
    check(chain.parts.size() <= ir::ChainGroup::kMostParts, "too many products in a chain");
    for (const ir::ChainGroup::Part& p : chain.parts) {
      const OpContext product = context(p.product);
      const OpContext right = context(p.right);
      Part part{product.dst,
                dense_strides(product.dst.rank, product.dst.shape),
                {right.args[0], product.op.b_trans},
                window_of(right)};
      ops::reserve_product(product, part.factor, product.dst.shape[0], depth_);
      parts_.push_back(std::move(part));
    }
  }

  Flow run(Frame& f) const override {
    f.integers[variable_] = first_;
    const View left = left_.at(f);
    std::array<View, ir::ChainGroup::kMostParts> views;
    std::array<ops::Right, ir::ChainGroup::kMostParts> rights;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& p = parts_[i];
      views[i] = p.right.at(f);
      const int64_t n = views[i].valid[p.factor.transposed ? 0 : 1];
      const View& sum =
          starts_ ? make_tile(f, p.sum, p.strides, {left.valid[0], n}) : f.views[p.sum.var];
      auto* c = reinterpret_cast<float*>(sum.data);
      rights[i] = {&p.factor, &views[i], 0, c, sum.stride[0], n, starts_};
    }
    ops::add_products(f, left_factor_, left, 0, left.valid[0], depth_,
                      {rights.data(), parts_.size()});
    return Flow::Next;
  }

 private:
  struct Part {
    Operand sum;
    Dims strides;
    ops::Factor factor;  // typed like the tensor the window is in
    ops::Window right;
  };

  static ops::Window window_of(const OpContext& load) {
    ops::Window w(load.args[0], load.dst.rank, load.dst.shape, load.op.offset, load.op.valid);
    if (load.args[0].packed) w.set_packed_row(load.packed_row);
    return w;
  }

  std::size_t variable_;
  int64_t first_, depth_;
  bool starts_;
  ops::Window left_;
  ops::Factor left_factor_;
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Step> chain_step(const ir::ChainGroup& chain, const ContextOf& context) {
  return std::make_unique<ChainStep>(chain, context);
}

}  // namespace tilewright::cpu
