#include "tilewright/compile/unroll/same_value.h"

#include <algorithm>
#include <set>

#include "tilewright/ir/walk.h"

namespace tilewright::compile {

using namespace ir;

// Follows a stored tile back to the arguments of its kernel. Scalars that a kernel reads or computes
// from floats are not followed, nor loops that end early.
class SameValue::Collector {
 public:
  Collector(const Program& program, const Kernel& kernel) : p_(program), kernel_(kernel) {
    std::vector<Expr> around;
    look(kernel.body, around);
  }

  Recipe of(const Op& store) {
    recipe_ = {};
    recipe_.known = followed_;
    add_operands(store);
    for (std::size_t i = 0; recipe_.known && i < tiles_.size(); ++i)
      for (const Definition& d : definitions_[tiles_[i]]) {
        if (d.op == &store) continue;
        recipe_.numbers.insert(recipe_.numbers.end(), d.around.begin(), d.around.end());
        add(*d.op);
      }
    for (Expr& e : recipe_.numbers) e = without_lets(e);
    if (!is_one_number(store))
      for (const Expr& e : store.offset) recipe_.numbers.push_back(without_lets(e));
    return std::move(recipe_);
  }

 private:
  struct Definition {
    const Op* op;
    std::vector<Expr> around;  // of the loops and branches it stands in
  };

  // A single element that is the same in every trip: wherever two tasks store it, where they meet
  // they store the same.
  bool is_one_number(const Op& store) const {
    bool varies = element_count(p_[store.args[0]].shape) != 1;
    for (const Expr& e : recipe_.numbers)
      e.for_each_var([&](VarId v) { varies = varies || trips_.contains(v); });
    return !varies;
  }

  static void add_parts(const Cond& c, std::vector<Expr>& out) {
    out.push_back(c.left);
    out.push_back(c.right);
    for (const Cond& part : c.parts) add_parts(part, out);
  }

  void look(const Block& block, std::vector<Expr>& around) {
    for (const Stmt& s : block) {
      const std::size_t depth = around.size();
      if (const auto* op = s.as<Op>()) {
        definitions_[op->dst].push_back({op, around});
      } else if (const auto* let = s.as<Let>()) {
        if (!lets_.emplace(let->var, let->value).second) unfollowed_.insert(let->var);
      } else if (const auto* f = s.as<For>()) {
        trips_.insert(f->var);
        around.push_back(f->start);
        around.push_back(f->stop);
      } else if (const auto* branch = s.as<If>()) {
        add_parts(branch->condition, around);
      } else if (s.as<While>() || s.as<Break>() || s.as<Continue>()) {
        followed_ = false;
      }
      for_each_body(s, [&](const Block& body) { look(body, around); });
      around.resize(depth);
    }
  }

  void add(const Op& op) {
    recipe_.numbers.insert(recipe_.numbers.end(), op.offset.begin(), op.offset.end());
    add_operands(op);
  }

  void add_operands(const Op& op) {
    recipe_.numbers.insert(recipe_.numbers.end(), op.valid.begin(), op.valid.end());
    if (op.scalar) add(*op.scalar);
    for (const VarId v : op.args) {
      const auto arg = std::ranges::find(kernel_.args, v, &KernelArg::var);
      if (arg == kernel_.args.end()) {
        if (seen_.insert(v).second) tiles_.push_back(v);
      } else if (arg->direction == Direction::In) {
        recipe_.inputs.push_back(static_cast<std::size_t>(arg - kernel_.args.begin()));
      } else {
        recipe_.known = false;
      }
    }
  }

  void add(const ScalarOperand& s) {
    if (s.kind == ScalarOperand::Kind::Index) recipe_.numbers.push_back(s.index);
    if (s.kind != ScalarOperand::Kind::Variable) return;
    if (!is_float(p_[s.variable].dtype))
      recipe_.numbers.push_back(Expr::var(s.variable));
    else if (is_argument(s.variable))
      recipe_.floats.push_back(s.variable);
    else
      recipe_.known = false;
  }

  bool is_argument(VarId v) const { return std::ranges::find(kernel_.scalars, v) != kernel_.scalars.end(); }

  Expr without_lets(const Expr& e) {
    Expr out = e.substituted([&](VarId v) -> std::optional<Expr> {
      const auto it = lets_.find(v);
      if (it == lets_.end()) return std::nullopt;
      return without_lets(it->second);
    });
    out.for_each_var([&](VarId v) {
      recipe_.known = recipe_.known && !unfollowed_.contains(v) && (is_argument(v) || trips_.contains(v));
    });
    return out;
  }

  const Program& p_;
  const Kernel& kernel_;
  std::map<VarId, std::vector<Definition>> definitions_;
  std::map<VarId, Expr> lets_;
  std::set<VarId> unfollowed_;  // scalars that are set twice
  std::set<VarId> trips_;       // loop variables
  bool followed_ = true;        // the control flow of the kernel
  Recipe recipe_;
  std::vector<VarId> tiles_;
  std::set<VarId> seen_;
};

bool SameValue::stored_by(const Task& a, const Task& b, const Op& store) {
  if (a.kernel != b.kernel || store.args.empty()) return false;
  const Kernel& kernel = plan_.kernel(a.kernel);
  auto it = recipes_.find(&store);
  if (it == recipes_.end())
    it = recipes_.emplace(&store, Collector(plan_.program, kernel).of(store)).first;
  const Recipe& r = it->second;
  return r.known && same_numbers(r, kernel, a, b) && same_inputs(r, kernel, a, b);
}

bool SameValue::same_numbers(const Recipe& r, const Kernel& k, const Task& a, const Task& b) const {
  const auto bits = [&](const Task& t, VarId v) -> std::optional<int64_t> {
    const auto at = std::ranges::find(k.scalars, v);
    if (at == k.scalars.end()) return std::nullopt;
    return graph_.scalars[t.scalars_begin + static_cast<std::size_t>(at - k.scalars.begin())];
  };
  const auto in = [&](const Task& t, const Expr& e) {
    return e.substituted([&](VarId v) -> std::optional<Expr> {
      if (const auto value = bits(t, v)) return Expr(*value);
      return std::nullopt;  // a loop variable: the same trips in both tasks
    });
  };
  return std::ranges::all_of(r.numbers, [&](const Expr& e) { return in(a, e) == in(b, e); }) &&
         std::ranges::all_of(r.floats, [&](VarId v) { return bits(a, v) == bits(b, v); });
}

// The same memory, which no task of this kernel writes.
bool SameValue::same_inputs(const Recipe& r, const Kernel& k, const Task& a, const Task& b) const {
  for (const std::size_t i : r.inputs) {
    const TensorRef& x = graph_.arg(a, i);
    const TensorRef& y = graph_.arg(b, i);
    if (x.buffer != y.buffer || x.base != y.base || x.shape != y.shape || x.stride != y.stride)
      return false;
    for (std::size_t j = 0; j < k.args.size(); ++j)
      if (k.args[j].direction != Direction::In && graph_.arg(a, j).buffer == x.buffer)
        return false;
  }
  return true;
}

}  // namespace tilewright::compile
