#include "tilewright/cpu/chain.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "tilewright/cpu/ops/product.h"
#include "tilewright/cpu/ops/window.h"
#include "tilewright/ir/walk.h"

namespace tilewright::cpu {
namespace {

using ir::OpKind;

constexpr std::size_t kMostProducts = 4;  // that share a loop, such as gate and up

// What a loop was found to do.
struct Chain {
  struct Part {
    const ir::Op* product = nullptr;  // matmul_acc, or the matmul of the first trip
    const ir::Op* left = nullptr;     // the loads
    const ir::Op* right = nullptr;
  };
  std::vector<Part> parts;
  bool starts = false;  // the first trip multiplies, the others accumulate
  int64_t first = 0;    // value of the loop variable
  int64_t depth = 0;    // k of all trips together
};

class Matcher {
 public:
  Matcher(const ir::Program& program, const ir::For& loop, const Aliases& aliases)
      : program_(program), loop_(loop), aliases_(aliases) {
    ir::for_each_op(loop.body, [&](const ir::Op& op) { inside_.insert(&op); });
  }

  std::optional<Chain> match() {
    if (!loop_.start.is_constant() || !loop_.stop.is_constant() || loop_.step != 1) return {};
    chain_.first = loop_.start.constant();
    const int64_t trips = loop_.stop.constant() - chain_.first;
    if (trips < 1 || !body()) return {};
    for (const Chain::Part& p : chain_.parts) {
      const std::size_t k = p.product->b_trans ? 1 : 0;
      const int64_t tile = program_[p.right->dst].shape[k];
      if (!walks(*p.left, 1, tile) || !walks(*p.right, k, tile)) return {};
      // One left operand for all, so that it is widened once.
      if (p.left != chain_.parts.front().left) return {};
      chain_.depth = trips * tile;
    }
    return chain_;
  }

 private:
  // Only views, products, and a branch that tells the first trip from the others.
  bool body() {
    const ir::If* branch = nullptr;
    for (const ir::Stmt& s : loop_.body) {
      if (const auto* op = s.as<ir::Op>()) {
        if (!view(*op) && !(op->kind == OpKind::MatmulAcc && !branch && product(*op))) return false;
      } else if (const auto* b = s.as<ir::If>(); b && !branch && chain_.parts.empty()) {
        branch = b;
      } else {
        return false;
      }
    }
    return branch ? first_trip(*branch) : !chain_.parts.empty();
  }

  bool first_trip(const ir::If& branch) {
    const ir::Cond first{ir::Cond::Kind::Compare,
                         ir::Compare::Eq,
                         ir::Expr::var(loop_.var),
                         ir::Expr(chain_.first),
                         {}};
    if (!(branch.condition == first)) return false;
    chain_.starts = true;
    if (!products(branch.then_body, OpKind::Matmul)) return false;
    const std::vector<Chain::Part> starting = chain_.parts;
    chain_.parts.clear();
    if (!products(branch.else_body, OpKind::MatmulAcc)) return false;
    // Both branches do the same products on the same blocks.
    return std::ranges::equal(starting, chain_.parts, [](const auto& a, const auto& b) {
      return a.product->dst == b.product->dst && a.left == b.left && a.right == b.right &&
             a.product->b_trans == b.product->b_trans;
    });
  }

  bool products(const ir::Block& block, OpKind kind) {
    return std::ranges::all_of(block, [&](const ir::Stmt& s) {
      const auto* op = s.as<ir::Op>();
      return op && (view(*op) || (op->kind == kind && product(*op)));
    });
  }

  // A view that nothing outside the loop uses.
  bool view(const ir::Op& op) const {
    if (!aliases_.is_alias(op.dst) || aliases_.read_as_scalar(op.dst)) return false;
    return std::ranges::all_of(aliases_.readers(op.dst),
                               [&](const ir::Op* reader) { return inside_.contains(reader); });
  }

  bool product(const ir::Op& op) {
    const ir::Var& sum = program_[op.dst];
    if (op.a_trans || sum.dtype != DType::F32 || sum.shape.size() != 2) return false;
    const ir::Op* left = load_of(op.args[0]);
    const ir::Op* right = load_of(op.args[1]);
    if (!left || !right || chain_.parts.size() == kMostProducts) return false;
    chain_.parts.push_back({&op, left, right});
    return true;
  }

  // The load in this loop whose window a variable is.
  const ir::Op* load_of(ir::VarId v) const {
    if (!aliases_.is_alias(v)) return nullptr;
    const ir::Op* op = aliases_.writers(v).front();
    if (!inside_.contains(op)) return nullptr;
    if (op->kind == OpKind::Move) return load_of(op->args[0]);
    const bool loads = op->kind == OpKind::Slice || op->kind == OpKind::Load;
    return loads && program_[op->dst].shape.size() == 2 && program_[op->args[0]].shape.size() == 2
               ? op
               : nullptr;
  }

  bool uses_loop_variable(const ir::Expr& e) const {
    bool used = false;
    e.for_each_var([&](ir::VarId v) { used = used || v == loop_.var; });
    return used;
  }

  // The window moves by `tile` along dimension k from trip to trip, and not at all along the other.
  bool walks(const ir::Op& load, std::size_t k, int64_t tile) const {
    const ir::Expr rest = load.offset[k] - ir::Expr::var(loop_.var) * ir::Expr(tile);
    if (uses_loop_variable(rest) || uses_loop_variable(load.offset[1 - k])) return false;
    if (program_[load.dst].shape[k] != tile) return false;
    if (load.valid.empty()) return true;
    return load.valid[k] == ir::Expr(tile) && !uses_loop_variable(load.valid[1 - k]);
  }

  const ir::Program& program_;
  const ir::For& loop_;
  const Aliases& aliases_;
  std::set<const ir::Op*> inside_;
  Chain chain_;
};

class ChainStep : public Step {
 public:
  ChainStep(const Chain& chain, std::size_t loop_variable,
            const std::function<OpContext(const ir::Op&)>& context)
      : variable_(loop_variable),
        first_(chain.first),
        depth_(chain.depth),
        starts_(chain.starts),
        left_(window_of(context(*chain.parts.front().left))) {
    const OpContext load = context(*chain.parts.front().left);
    left_factor_ = {load.args[0], false};
    for (const Chain::Part& p : chain.parts) {
      const OpContext product = context(*p.product);
      const OpContext right = context(*p.right);
      Part part{product.dst,
                dense_strides(product.dst.rank, product.dst.shape),
                {right.args[0], p.product->b_trans},
                window_of(right)};
      ops::reserve_product(product, part.factor, product.dst.shape[0], depth_,
                           product.dst.shape[1]);
      parts_.push_back(std::move(part));
    }
  }

  Flow run(Frame& f) const override {
    f.integers[variable_] = first_;
    const View left = left_.at(f);
    std::array<View, kMostProducts> views;
    std::array<ops::Right, kMostProducts> rights;
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

std::unique_ptr<Step> chain_step(const ir::Program& program, const ir::For& loop,
                                 const Aliases& aliases,
                                 const std::function<OpContext(const ir::Op&)>& context) {
  const std::optional<Chain> chain = Matcher(program, loop, aliases).match();
  if (!chain) return nullptr;
  if (!is_float(context(*chain->parts.front().left).args[0].dtype)) return nullptr;
  return std::make_unique<ChainStep>(*chain, loop.var.index(), context);
}

}  // namespace tilewright::cpu
