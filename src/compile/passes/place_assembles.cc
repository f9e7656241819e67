#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "tilewright/base/text.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

bool is_orchestrator_assemble(const Stmt& s) {
  const auto* op = s.as<Op>();
  return op && op->kind == OpKind::Assemble;
}

bool uses_array(const Stmt& s, VarId var) {
  bool found = false;
  const auto look = [&](const Stmt& inner) {
    for_each_array_use(inner, [&](VarId v, bool) { found = found || v == var; });
  };
  look(s);
  for_each_body(s, [&](const Block& body) { for_each_stmt(body, look); });
  return found;
}

int count_uses(const Block& block, VarId var) {
  int n = 0;
  for_each_stmt(block, [&](const Stmt& s) {
    for_each_array_use(s, [&](VarId v, bool) { n += v == var; });
  });
  return n;
}

// Two windows of the same destination that differ by constants and do not overlap.
bool disjoint_windows(const Op& a, const Op& b, const Program& p) {
  const Shape& sa = p[a.args[0]].shape;
  const Shape& sb = p[b.args[0]].shape;
  for (std::size_t i = 0; i < a.offset.size(); ++i) {
    const Expr d = b.offset[i] - a.offset[i];
    if (!d.is_constant()) continue;
    const std::size_t rank = a.offset.size();
    const auto extent = [&](const Shape& s) {
      return i + s.size() < rank ? int64_t{1} : s[i + s.size() - rank];
    };
    if (d.constant() >= extent(sa) || -d.constant() >= extent(sb)) return true;
  }
  return false;
}

class AssemblePlacer {
 public:
  AssemblePlacer(Program& program, PassContext& context) : p_(program), context_(context) {
    for_each_stmt(p_.body, [&](const Stmt& s) {
      for_each_array_use(s, [&](VarId v, bool) { ++uses_[v.value]; });
    });
  }

  void run() {
    scalars_.clear();
    for (const Param& param : p_.params)
      if (p_[param.var].scalar) scalars_.insert(param.var.value);
    block(p_.body);
  }

 private:
  void block(Block& b) {
    const auto outer_scalars = scalars_;
    for (std::size_t i = 0; i < b.size(); ++i) {
      Stmt& s = b[i];
      if (s.as<Scope>()) continue;
      const VarId defined = scalar_defined(s);
      if (defined.valid()) scalars_.insert(defined.value);
      for_each_body(s, [&](Block& body) { block(body); });
      if (s.as<For>()) scalars_.erase(defined.value);
      if (is_orchestrator_assemble(b[i]) && !fold(b, i)) copy_task(b, i);
    }
    scalars_ = outer_scalars;
  }

  // Turns `source` into a view of its destination, made where the source was first written.
  // Invariant of the caller's index: on success statement `at` becomes harmless (removed).
  bool fold(Block& b, std::size_t& at) {
    const Op assemble = *b[at].as<Op>();
    const VarId source = assemble.args[0];
    if (assemble.atomic_add || p_.param_of(source)) return false;
    // All uses of the source are in this block, none after the assemble.
    if (count_uses(b, source) != uses_.at(source.value)) return false;
    for (std::size_t i = at + 1; i < b.size(); ++i)
      if (uses_array(b[i], source)) return false;
    std::size_t first = 0;
    while (!uses_array(b[first], source)) ++first;
    if (first == at) return false;
    if (const auto* made = b[first].as<Op>(); made && made->kind != OpKind::Create)
      return false;  // itself a view, or already placed
    for (std::size_t i = first; i < at; ++i)
      if (!leaves_alone(b[i], assemble)) return false;
    if (!offset_known_before(b, first, assemble)) return false;

    Op view;
    view.kind = OpKind::Slice;
    view.dst = source;
    view.args = {assemble.dst};
    view.offset = assemble.offset;
    view.place = assemble.place;
    b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
    --at;
    if (b[first].as<Op>()) {
      b[first] = {std::move(view)};  // the create
    } else {
      b.insert(b.begin() + static_cast<std::ptrdiff_t>(first), {std::move(view)});
      ++at;
    }
    return true;
  }

  // Between the source's birth and the assemble nobody else touches the destination, except
  // assembles into other windows of it.
  bool leaves_alone(const Stmt& s, const Op& assemble) const {
    if (!uses_array(s, assemble.dst)) return true;
    if (!is_orchestrator_assemble(s)) {
      // A view already made for a disjoint window.
      const auto* op = s.as<Op>();
      if (!op || op->kind != OpKind::Slice || op->args[0] != assemble.dst) return false;
      Op other = *op;
      other.args = {op->dst};
      return disjoint_windows(other, assemble, p_);
    }
    return disjoint_windows(*s.as<Op>(), assemble, p_);
  }

  bool offset_known_before(const Block& b, std::size_t first, const Op& assemble) const {
    std::unordered_set<uint32_t> late;
    for (std::size_t i = first; i < b.size(); ++i)
      if (const VarId v = scalar_defined(b[i]); v.valid()) late.insert(v.value);
    bool ok = true;
    for (const Expr& e : assemble.offset)
      e.for_each_var(
          [&](VarId v) { ok = ok && scalars_.contains(v.value) && !late.contains(v.value); });
    return ok;
  }

  // The general case: a task that loads the source and stores it, a block at a time.
  void copy_task(Block& b, std::size_t at) {
    constexpr int64_t kMostBytes = 16 * 1024;
    const Op assemble = *b[at].as<Op>();
    const Var source = p_[assemble.args[0]];
    Shape tile = source.shape;
    for (std::size_t i = 0; i < tile.size(); ++i) {
      int64_t rest = 1;
      for (std::size_t j = i + 1; j < tile.size(); ++j) rest *= tile[j];
      const int64_t fit =
          std::max<int64_t>(1, kMostBytes / std::max<int64_t>(1, bytes_of(source.dtype, rest)));
      tile[i] = std::min(tile[i], fit);
      if (i > 0 && tile[i - 1] > 1 && tile[i] < source.shape[i]) tile[i - 1] = 1;
    }
    Scope scope;
    scope.name = "copy_" + source.name;
    scope.place = assemble.place;
    std::vector<Expr> offset, valid;
    std::vector<For> loops;
    for (std::size_t i = 0; i < tile.size(); ++i) {
      if (tile[i] == source.shape[i]) {
        offset.emplace_back(0);
        valid.emplace_back(tile[i]);
        continue;
      }
      For f;
      Var v;
      v.name = p_.unique_name("block");
      v.scalar = true;
      v.dtype = DType::Index;
      f.var = p_.add_var(v);
      f.stop = source.shape[i];
      f.step = tile[i];
      f.place = assemble.place;
      offset.push_back(Expr::var(f.var));
      valid.push_back(min(Expr(tile[i]), Expr(source.shape[i]) - Expr::var(f.var)));
      loops.push_back(std::move(f));
    }
    Var t = source;
    t.name = p_.unique_name("copied_" + source.name);
    t.shape = tile;
    Op load;
    load.kind = OpKind::Slice;
    load.dst = p_.add_var(t);
    load.args = {assemble.args[0]};
    load.offset = offset;
    if (!loops.empty()) load.valid = valid;
    load.place = assemble.place;
    Op store = assemble;
    store.args = {load.dst};
    const std::size_t dropped = store.offset.size() - offset.size();
    for (std::size_t i = 0; i < offset.size(); ++i)
      store.offset[i + dropped] = store.offset[i + dropped] + offset[i];
    Block body{{std::move(load)}, {std::move(store)}};
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
      it->body = std::move(body);
      body = {{std::move(*it)}};
    }
    scope.body = std::move(body);
    context_.report(p_, assemble.place, "", written_text(assemble, p_),
                    {.severity = Severity::Note,
                     .code = "assemble-copies",
                     .what = fmt::format("assemble of {} costs a copy task of {}", source.written_name(),
                                         human_bytes(source.bytes())),
                     .law = "an assemble outside a scope is free only if scopes write its source, "
                            "the source is assembled once, and nothing uses the source afterwards",
                     .help = "assemble inside the scope that computes the value"});
    b[at] = {std::move(scope)};
  }

  Program& p_;
  PassContext& context_;
  std::unordered_map<uint32_t, int> uses_;
  std::unordered_set<uint32_t> scalars_;  // known at the current statement
};

}  // namespace

void place_assembles(Plan& plan, PassContext& context) {
  AssemblePlacer(plan.program, context).run();
}

}  // namespace tilewright::compile
