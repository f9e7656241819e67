// Loops that only load blocks and multiply: sum = left(0) right(0) + left(1) right(1) + ... over
// ascending blocks of k is one long product.
#include <algorithm>
#include <set>
#include <utility>

#include "tilewright/compile/lower/matching.h"

namespace tilewright::compile {
namespace {

using ir::OpKind;
using Part = ir::ChainGroup::Part;

class ChainMatcher {
 public:
  ChainMatcher(const ir::LoweredFor& loop, const Searched& in) : loop_(loop), in_(in) {
    ir::for_each_node(loop.body, [&](const ir::LoweredNode& n) {
      if (const int i = in.issued(n); i >= 0) inside_.insert(i);
    });
  }

  std::optional<ir::ChainGroup> match() {
    if (!loop_.start.is_constant() || !loop_.stop.is_constant() || loop_.step != 1) return {};
    chain_.variable = loop_.var;
    chain_.first = loop_.start.constant();
    const int64_t trips = loop_.stop.constant() - chain_.first;
    if (trips < 1 || !body()) return {};
    for (const Part& p : chain_.parts) {
      const std::size_t k = in_.op(p.product).b_trans ? 1 : 0;
      const int64_t tile = shape(in_.op(p.right).dst)[k];
      if (!walks(in_.op(p.left), 1, tile) || !walks(in_.op(p.right), k, tile)) return {};
      // One left operand for all, so that it is widened once.
      if (p.left != chain_.parts.front().left) return {};
      chain_.depth = trips * tile;
    }
    const ir::VarId left = in_.op(chain_.parts.front().left).args[0];
    if (!is_float(in_.program[left].dtype)) return {};
    return chain_;
  }

 private:
  const Shape& shape(ir::VarId v) const { return in_.program[v].shape; }

  // Only views, products, and a branch that tells the first trip from the others.
  bool body() {
    const ir::LoweredIf* branch = nullptr;
    for (const ir::LoweredNode& n : loop_.body) {
      if (const int i = in_.issued(n); i >= 0) {
        if (!is_view(i) && !(!branch && take_product(i, OpKind::MatmulAcc))) return false;
      } else if (const auto* b = n.as<ir::LoweredIf>(); b && !branch && chain_.parts.empty()) {
        branch = b;
      } else {
        return false;
      }
    }
    return branch ? first_trip(*branch) : !chain_.parts.empty();
  }

  bool first_trip(const ir::LoweredIf& branch) {
    const ir::Cond first{ir::Cond::Kind::Compare,
                         ir::Compare::Eq,
                         ir::Expr::var(loop_.var),
                         ir::Expr(chain_.first),
                         {}};
    if (!(branch.condition == first)) return false;
    chain_.starts = true;
    if (!only_products(branch.then_body, OpKind::Matmul)) return false;
    const std::vector<Part> starting = std::exchange(chain_.parts, {});
    if (!only_products(branch.else_body, OpKind::MatmulAcc)) return false;
    // Both branches do the same products on the same blocks.
    return !starting.empty() &&
           std::ranges::equal(starting, chain_.parts, [&](const Part& a, const Part& b) {
             const ir::Op& x = in_.op(a.product);
             const ir::Op& y = in_.op(b.product);
             return x.dst == y.dst && x.b_trans == y.b_trans && a.left == b.left &&
                    a.right == b.right;
           });
  }

  bool only_products(const ir::LoweredBlock& block, OpKind kind) {
    return std::ranges::all_of(block, [&](const ir::LoweredNode& n) {
      const int i = in_.issued(n);
      return i >= 0 && (is_view(i) || take_product(i, kind));
    });
  }

  // A view that nothing outside the loop uses.
  bool is_view(int instruction) const {
    const ir::VarId v = in_.op(instruction).dst;
    return in_.uses.is_view(v) && !in_.uses.read_as_scalar(v) &&
           std::ranges::all_of(in_.uses.readers(v),
                               [&](int reader) { return inside_.contains(reader); });
  }

  // A product of two loaded blocks.
  bool take_product(int instruction, OpKind kind) {
    const ir::Op& op = in_.op(instruction);
    if (op.kind != kind) return false;
    const ir::Var& sum = in_.program[op.dst];
    const bool of_bytes = in_.program[op.args[0]].dtype == DType::I8;
    if (op.a_trans || sum.dtype != (of_bytes ? DType::I32 : DType::F32)) return false;
    if (sum.shape.size() != 2) return false;
    const int left = load_of(op.args[0]);
    const int right = load_of(op.args[1]);
    if (left < 0 || right < 0 || chain_.parts.size() == ir::ChainGroup::kMostParts) return false;
    chain_.parts.push_back({instruction, left, right});
    return true;
  }

  // The load in this loop whose window a variable is; -1 when there is none.
  int load_of(ir::VarId v) const {
    if (!in_.uses.is_view(v)) return -1;
    const int load = in_.maker(v);
    const ir::Op& op = in_.op(load);
    if (!inside_.contains(load)) return -1;
    if (op.kind == OpKind::Move) return load_of(op.args[0]);
    const bool loads = ir::op_info(op.kind).view == ir::ViewKind::Window;
    return loads && shape(op.dst).size() == 2 && shape(op.args[0]).size() == 2 ? load : -1;
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
    if (shape(load.dst)[k] != tile) return false;
    if (load.valid.empty()) return true;
    return load.valid[k] == ir::Expr(tile) && !uses_loop_variable(load.valid[1 - k]);
  }

  const ir::LoweredFor& loop_;
  const Searched& in_;
  std::set<int> inside_;  // instructions of the loop
  ir::ChainGroup chain_;
};

}  // namespace

std::optional<Found> match_chain(Nodes nodes, const Searched& in) {
  const auto* loop = nodes.front().as<ir::LoweredFor>();
  if (!loop) return std::nullopt;
  auto chain = ChainMatcher(*loop, in).match();
  if (!chain) return std::nullopt;
  return Found{*std::move(chain), 1};
}

}  // namespace tilewright::compile
