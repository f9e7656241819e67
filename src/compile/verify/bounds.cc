#include <fmt/format.h>

#include <unordered_map>

#include "tilewright/base/text.h"
#include "tilewright/compile/verify/verify.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

std::string range_text(const Range& r) {
  if (r.low && r.high && *r.low == *r.high) return fmt::format("{}", *r.low);
  if (r.low && r.high) return fmt::format("{} to {}", *r.low, *r.high);
  return r.low ? fmt::format("at least {}", *r.low) : fmt::format("at most {}", *r.high);
}

bool contains_break(const Block& body) {
  bool found = false;
  for_each_stmt(body, [&](const Stmt& s) { found = found || s.as<Break>(); });
  return found;
}

class BoundsChecker {
 public:
  BoundsChecker(const Program& program, PassContext& context) : p_(program), context_(context) {
    // A scalar that is written twice has no single range.
    std::unordered_map<uint32_t, int> writes;
    for_each_stmt(p_.body, [&](const Stmt& s) {
      if (const VarId v = scalar_defined(s); v.valid() && ++writes[v.value] > 1)
        mutable_.insert({v.value, true});
    });
  }

  void run() { block(p_.body); }

 private:
  // A range of values, and whether both its ends are certainly reached.
  struct Known {
    Range range;
    bool attained = false;
  };

  void block(const Block& b) {
    for (const Stmt& s : b) statement(s);
  }

  void statement(const Stmt& s) {
    try {
      visit(s);
    } catch (const UserError& e) {  // an offset that no 64 bits hold
      const Diagnostic& d = e.diagnostic();
      context_.report(p_, place_of(s), scope_, "",
                      {.code = d.code, .what = d.what, .law = d.law, .help = d.help});
    }
  }

  void visit(const Stmt& s) {
    if (const auto* op = s.as<Op>()) {
      operation(*op);
    } else if (const auto* f = s.as<For>()) {
      loop(*f);
    } else if (const auto* c = s.as<If>()) {
      ++conditional_;
      block(c->then_body);
      block(c->else_body);
      --conditional_;
    } else if (const auto* w = s.as<While>()) {
      ++conditional_;
      block(w->body);
      --conditional_;
    } else if (const auto* sc = s.as<Scope>()) {
      scope_ = sc->name;
      block(sc->body);
      scope_.clear();
    } else if (const auto* let = s.as<Let>()) {
      name(*let);
    } else if (const auto* read = s.as<Read>()) {
      window(*read);
    }
  }

  // A scalar that is set once stands for its value, so that i + (n - i) is n and not a wide range.
  void name(const Let& let) {
    if (mutable_.contains(let.var.value)) return;
    const Expr value = let.value.substituted(value_of_);
    bool fixed = true;
    value.for_each_var([&](VarId v) { fixed = fixed && !mutable_.contains(v.value); });
    if (fixed) values_.emplace(let.var.value, value);
  }

  void loop(const For& f) {
    const Known start = range_of(f.start);
    const Known stop = range_of(f.stop);
    Known k;
    if (f.start.is_constant() && f.stop.is_constant() && f.step != 0) {
      const int64_t a = f.start.constant();
      const int64_t b = f.stop.constant();
      if (f.step > 0 ? a >= b : a <= b) return;  // the body never runs
      const Expr nearest = Expr(b) + Expr(f.step > 0 ? -1 : 1);  // expressions do not wrap
      const int64_t last = (nearest - mod(nearest - Expr(a), f.step)).constant();
      k = {{std::min(a, last), std::max(a, last)}, true};
    } else if (f.step > 0) {
      k.range.low = start.range.low;
      if (stop.range.high) k.range.high = *stop.range.high - 1;
    } else {
      k.range.high = start.range.high;
      if (stop.range.low) k.range.low = *stop.range.low + 1;
    }
    if (!mutable_.contains(f.var.value)) known_[f.var.value] = k;
    if (k.attained) around_.push_back({f.var, f.start.constant(), f.step, *k.range.high - *k.range.low});
    const bool may_be_skipped = !k.attained || contains_break(f.body);
    conditional_ += may_be_skipped;
    if (f.kind == LoopKind::Spmd) scope_ = f.name;
    block(f.body);
    if (f.kind == LoopKind::Spmd) scope_.clear();
    conditional_ -= may_be_skipped;
    if (k.attained) around_.pop_back();
  }

  Known range_of(const Expr& expression) const {
    const Expr e = expression.substituted(value_of_);
    bool attained = true;
    const Range r = bounds(e, [&](VarId v) {
      const auto it = known_.find(v.value);
      if (it == known_.end()) {
        attained = false;
        return Range{};
      }
      attained = attained && it->second.attained;
      return it->second.range;
    });
    // Loop variables take their ends independently only if each stands alone and linear.
    for (const Term& t : e.terms()) attained = attained && t.var.valid();
    return {r, attained && r.low && r.high};
  }

  void operation(const Op& op) {
    if (op.kind == OpKind::Slice || op.kind == OpKind::Load) {
      const Var& dst = p_[op.dst];
      if (!valid_shape(op)) return;
      Shape shape = dst.shape;
      if (op.transpose) std::swap(shape[0], shape[1]);
      std::vector<Expr> extent(op.valid.begin(), op.valid.end());
      if (op.transpose && !extent.empty()) std::swap(extent[0], extent[1]);
      if (extent.empty()) extent.assign(shape.begin(), shape.end());
      window(op, p_[op.args[0]], extent);
    } else if (op.kind == OpKind::SetValid) {
      valid_shape(op);
    } else if (op.kind == OpKind::Assemble || op.kind == OpKind::Store) {
      // The source may be partly valid, so only the start is certain here.
      const Shape& shape = p_[op.args[0]].shape;
      window(op, p_[op.dst], std::vector<Expr>(shape.begin(), shape.end()), true);
    }
  }

  bool valid_shape(const Op& op) {
    bool good = true;
    for (std::size_t i = 0; i < op.valid.size(); ++i) {
      const Known k = range_of(op.valid[i]);
      const int64_t size = p_[op.dst].shape[i];
      if (k.range.low && k.range.high && *k.range.low >= 0 && *k.range.high <= size) continue;
      const bool certainly_bad = (k.range.high && *k.range.high < 0) ||
                                 (k.range.low && *k.range.low > size) ||
                                 (k.attained && conditional_ == 0);
      if (!certainly_bad || conditional_ != 0) continue;
      good = false;
      context_.report(
          p_, op.place, scope_, written_text(op, p_),
          {.code = "valid",
           .what = fmt::format("valid extent of {} in dimension {} of {} {}", range_text(k.range),
                               i, p_[op.dst].written_name(), type_text(p_[op.dst])),
           .law = "a valid extent is at least 0 and at most the tile's extent",
           .help = "clamp it with max(0, min(tile, remaining))"});
    }
    return good;
  }

  void window(const Op& op, const Var& array, const std::vector<Expr>& extent,
              bool extent_is_upper_bound = false) {
    const std::size_t dropped = array.shape.size() - extent.size();
    for (std::size_t i = 0; i < array.shape.size(); ++i) {
      const Expr size = i < dropped ? Expr(1) : extent[i - dropped];
      dimension(op.place, written_text(op, p_), op_name(op.kind), array, i, op.offset[i], size,
                extent_is_upper_bound && i >= dropped);
    }
  }

  void window(const Read& read) {
    for (std::size_t i = 0; i < read.index.size() && i < p_[read.array].shape.size(); ++i)
      dimension(read.place, written_text(read, p_), "read", p_[read.array], i, read.index[i], 1, false);
  }

  void dimension(const Place& place, const std::string& detail, std::string_view what,
                 const Var& array, std::size_t i, const Expr& offset, const Expr& size,
                 bool size_is_upper_bound) {
    const int64_t limit = array.shape[i];
    const Known low = range_of(offset);
    const Known high = range_of(offset + size);
    const bool inside = low.range.low && *low.range.low >= 0 && high.range.high &&
                        *high.range.high <= limit;
    if (inside) return;
    const bool low_bad = low.range.low && *low.range.low < 0 &&
                         (low.attained || (low.range.high && *low.range.high < 0));
    const bool high_bad = high.range.high && *high.range.high > limit && !size_is_upper_bound &&
                          (high.attained || (high.range.low && *high.range.low > limit));
    const bool start_bad = low.range.low && *low.range.low >= limit;
    if (conditional_ != 0 || !(low_bad || high_bad || start_bad)) return;
    const bool end_bad = high_bad && !low_bad;
    // Where it begins to be wrong: an end beyond the limit, a start below 0 or beyond the limit.
    const Expr wrong = end_bad ? offset + size + Expr(-1 - limit)
                       : low_bad ? Expr(-1) - offset
                                 : offset - Expr(limit);
    std::string iteration;
    const int64_t worst = end_bad ? *high.range.high - 1 : *low.range.low;
    const int64_t first =
        first_failure(wrong, end_bad ? offset + size - Expr(1) : offset, iteration).value_or(worst);
    context_.report(p_, place, scope_, detail, out_of_bounds(what, first, first, i, array, iteration));
  }

  // The first iteration of the loops around in which `wrong` is not negative, and `reached` there.
  // Nothing where more than these loops decide. Loops outside of all conditions have constant bounds.
  std::optional<int64_t> first_failure(const Expr& wrong, const Expr& reached,
                                       std::string& iteration) const {
    const Expr e = wrong.substituted(value_of_);
    ScalarEnv env(p_.vars.size());
    const auto fails = [&] {
      const Range r = bounds(e, [&](VarId v) {
        if (env.known(v)) return Range{env.value(v), env.value(v)};
        const auto it = known_.find(v.value);
        return it == known_.end() ? Range{} : it->second.range;
      });
      return r.high && *r.high >= 0;
    };
    std::vector<std::string> values;
    for (const Around& loop : around_) {
      // A sum of loop variables grows or shrinks with each of them, so halving finds the first trip.
      int64_t low = 0, high = loop.span / std::abs(loop.step);
      env.set(loop.var, loop.start);
      if (!fails())
        while (low < high) {
          const int64_t middle = low + (high - low) / 2;
          env.set(loop.var, loop.start + middle * loop.step);
          if (fails())
            high = middle;
          else
            low = middle + 1;
        }
      else
        high = low;
      env.set(loop.var, loop.start + high * loop.step);
      values.push_back(fmt::format("{} = {}", p_[loop.var].written_name(), env.value(loop.var)));
    }
    const auto failed = evaluate(e, env);
    if (!failed || *failed < 0) return std::nullopt;
    iteration = join(values, ", ");
    return evaluate(reached.substituted(value_of_), env);
  }

  // A loop of constant bounds; `span` is the distance of its last value from the first.
  struct Around {
    VarId var;
    int64_t start, step, span;
  };

  const Program& p_;
  PassContext& context_;
  std::vector<Around> around_;  // from the outermost
  std::unordered_map<uint32_t, Known> known_;
  std::unordered_map<uint32_t, Expr> values_;  // of scalars that are set once
  const std::function<std::optional<Expr>(VarId)> value_of_ = [this](VarId v) {
    const auto it = values_.find(v.value);
    return it == values_.end() ? std::nullopt : std::optional(it->second);
  };
  std::unordered_map<uint32_t, bool> mutable_;
  std::string scope_;
  int conditional_ = 0;
};

}  // namespace

void verify_bounds(const Program& program, PassContext& context) {
  BoundsChecker(program, context).run();
}

}  // namespace tilewright::compile
