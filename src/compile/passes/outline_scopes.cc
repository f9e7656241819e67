#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "tilewright/base/check.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/unique_names.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;

bool is_windowed(const Op& op) {
  return op.kind == OpKind::Slice || op.kind == OpKind::Load || op.kind == OpKind::Assemble ||
         op.kind == OpKind::Store;
}

void replace_array(Block& block, VarId from, VarId to) {
  for_each_stmt(block, [&](Stmt& s) {
    if (auto* op = s.as<Op>()) {
      std::replace(op->args.begin(), op->args.end(), from, to);
      if (op->dst == from) op->dst = to;
    } else if (auto* read = s.as<Read>()) {
      if (read->array == from) read->array = to;
    } else if (auto* signal = s.as<Signal>()) {
      if (signal->window == from) signal->window = to;
    }
  });
}

// How a scope touches one GM variable.
struct Touch {
  bool whole_write = false;   // an op (not an assemble) has it as destination
  bool window_write = false;
  bool whole_read = false;    // a direct operand
  bool window_read = false;   // slice, load or scalar read
  bool starts_defined = false;  // first touched by an op that writes all of it, unconditionally
};

class Outliner {
 public:
  Outliner(Plan& plan, PassContext& context)
      : plan_(plan), p_(plan.program), unique_(plan.program), context_(context) {}

  void run() {
    find_gm_variables();
    outline_block(p_.body);
    for (Escape& e : plan_.escapes) {
      std::sort(e.to.begin(), e.to.end());
      e.to.erase(std::unique(e.to.begin(), e.to.end()), e.to.end());
    }
  }

 private:
  // GM: parameters, what the orchestrator makes, and what more than one scope uses.
  void find_gm_variables() {
    for (const Param& param : p_.params)
      if (!p_[param.var].scalar) gm_.insert(param.var.value);
    std::unordered_map<uint32_t, std::set<const Scope*>> scopes_of;
    collect(p_.body, scopes_of);
    for (const auto& [var, scopes] : scopes_of)
      if (scopes.size() > 1) gm_.insert(var);
    for (uint32_t v : gm_) p_.vars[v].space = MemorySpace::GM;
  }

  void collect(const Block& block,
               std::unordered_map<uint32_t, std::set<const Scope*>>& scopes_of) {
    for (const Stmt& s : block) {
      if (const auto* scope = s.as<Scope>()) {
        for_each_stmt(scope->body, [&](const Stmt& inner) {
          for_each_array_use(inner, [&](VarId v, bool) { scopes_of[v.value].insert(scope); });
          if (const auto* call = inner.as<ExternalCall>())
            for (const ExternalCall::Array& a : call->arrays) gm_.insert(a.var.value);
        });
        continue;
      }
      if (const VarId v = scalar_defined(s); v.valid()) outer_scalars_.insert(v.value);
      for_each_array_use(s, [&](VarId v, bool write) {
        gm_.insert(v.value);
        if (write) made_by_orchestrator_.insert(v.value);
      });
      for_each_body(s, [&](const Block& body) { collect(body, scopes_of); });
    }
  }

  // `launch` is the spmd loop around the block, if there is one.
  void outline_block(Block& block, const For* launch = nullptr) {
    for (Stmt& s : block) {
      if (auto* scope = s.as<Scope>()) {
        outline(*scope, launch);
      } else {
        const auto* loop = s.as<For>();
        const bool launches = loop && loop->kind == LoopKind::Spmd;
        for_each_body(s, [&](Block& body) { outline_block(body, launches ? loop : launch); });
      }
    }
  }

  void outline(Scope& scope, const For* launch) {
    scope.kernel = KernelId(plan_.kernels.size());
    Kernel k;
    k.name = kernel_name(scope.name);
    k.level = scope.level;
    k.split = scope.split;
    k.sync_start = launch && launch->sync_start;
    k.place = scope.place;
    k.body = std::move(scope.body);
    scope.body.clear();
    scope.name = k.name;
    if (const auto* call = k.body.size() == 1 ? k.body[0].as<ExternalCall>() : nullptr)
      take_external(*call, k, scope.kernel);
    else
      lower_gm(k, scope.kernel);
    find_scalars(k);
    plan_.kernels.push_back(std::move(k));
  }

  // It gets GM tensors as they are: there is no body that loads and stores them.
  void take_external(const ExternalCall& call, Kernel& k, KernelId id) {
    k.external = call.kernel;
    k.core = p_.external(call.kernel).core;
    for (const ExternalCall::Array& a : call.arrays) {
      const auto known = std::ranges::find(k.args, a.var, &KernelArg::var);
      const bool newborn = is_made_by_kernels(a.var) && !written_.contains(a.var.value);
      if (known == k.args.end())
        k.args.push_back({a.var, a.direction, a.writes() && newborn});
      else if (known->direction != a.direction)
        known->direction = Direction::InOut;
    }
    for (const KernelArg& arg : k.args) {
      if (arg.direction != Direction::In) written_.insert(arg.var.value);
      note_escape(arg.var, id, arg);
    }
  }

  bool is_made_by_kernels(VarId v) const {
    return !p_.param_of(v) && !made_by_orchestrator_.contains(v.value);
  }

  std::string kernel_name(const std::string& wanted) {
    const std::string base = wanted.empty() ? fmt::format("scope_{}", plan_.kernels.size()) : wanted;
    const int n = names_[base]++;
    return n == 0 ? base : fmt::format("{}_{}", base, n);
  }

  void lower_gm(Kernel& k, KernelId id) {
    std::vector<VarId> order;
    std::map<uint32_t, Touch> touches;
    for_each_stmt(k.body, [&](const Stmt& s) {
      for_each_array_use(s, [&](VarId v, bool) {
        if (gm_.contains(v.value) && touches.emplace(v.value, Touch{}).second) order.push_back(v);
      });
      note_touches(s, touches);
    });
    for (VarId v : order) {
      Touch& t = touches[v.value];
      t.starts_defined = starts_defined(k.body, v);
      KernelArg arg{v, Direction::In, false};
      const bool newborn =
          is_made_by_kernels(v) && (!written_.contains(v.value) || t.starts_defined);
      const bool writes = t.whole_write || t.window_write;
      bool reads = t.whole_read || t.window_read;
      if (t.whole_write) {
        const bool load = !newborn && !t.starts_defined;
        shadow(k, v, load);
        reads = load;
      } else {
        if (t.whole_read) load_whole(k, v, t.window_write);
        make_windows_explicit(k.body, v);
      }
      arg.escape = newborn && writes;
      arg.direction = writes ? (reads && !arg.escape ? Direction::InOut : Direction::Out) : Direction::In;
      if (writes) written_.insert(v.value);
      note_escape(v, id, arg);
      k.args.push_back(arg);
    }
    reject_gm_ops_on_tiles(k);
  }

  void note_touches(const Stmt& s, std::map<uint32_t, Touch>& touches) {
    if (const auto* read = s.as<Read>()) {
      if (gm_.contains(read->array.value)) touches[read->array.value].window_read = true;
      return;
    }
    // A task is not ordered by the signals it gives or waits for, so they are as if only read.
    if (const auto* signal = s.as<Signal>()) touches[signal->window.value].window_read = true;
    const auto* op = s.as<Op>();
    if (!op) return;
    for (VarId v : op->args) {
      if (!gm_.contains(v.value)) continue;
      const bool window = op->kind == OpKind::Slice || op->kind == OpKind::Load;
      (window ? touches[v.value].window_read : touches[v.value].whole_read) = true;
    }
    if (!gm_.contains(op->dst.value)) return;
    Touch& t = touches[op->dst.value];
    const bool window = op->kind == OpKind::Assemble || op->kind == OpKind::Store;
    (window ? t.window_write : t.whole_write) = true;
    if (reads_dst(*op)) t.whole_read = true;
  }

  // The first statement that touches `v` writes all of it without reading it.
  static bool starts_defined(const Block& body, VarId v) {
    for (const Stmt& s : body) {
      bool touched = false;
      const auto look = [&](const Stmt& inner) {
        for_each_array_use(inner, [&](VarId used, bool) { touched = touched || used == v; });
      };
      look(s);
      for_each_body(s, [&](const Block& b) { for_each_stmt(b, look); });
      if (!touched) continue;
      const auto* op = s.as<Op>();
      return op && op->dst == v && !updates_in_place(op->kind) &&
             std::ranges::find(op->args, v) == op->args.end();
    }
    return false;
  }

  static std::vector<Expr> zeros(const Var& v) { return std::vector<Expr>(v.shape.size(), Expr(0)); }

  VarId tile_for(VarId v, const char* suffix) {
    Var t = p_[v];
    t.name = unique_.next(t.name + suffix);
    t.space.reset();
    return p_.add_var(std::move(t));
  }

  Op load_op(VarId from, VarId to, const Place& place) const {
    Op op;
    op.kind = OpKind::Load;
    op.dst = to;
    op.args = {from};
    op.offset = zeros(p_[from]);
    op.place = place;
    return op;
  }

  // The scope works on a tile; GM sees its last state.
  void shadow(Kernel& k, VarId v, bool load) {
    const VarId tile = tile_for(v, "_tile");
    Place place = k.place;
    for_each_op(k.body, [&](const Op& op) {
      if (op.dst == v) place = op.place;
    });
    p_[tile].place = place;
    replace_array(k.body, v, tile);
    if (load) k.body.insert(k.body.begin(), {load_op(v, tile, place)});
    Op store;
    store.kind = OpKind::Store;
    store.dst = v;
    store.args = {tile};
    store.offset = zeros(p_[v]);
    store.may_be_undefined = true;
    store.place = place;
    k.body.push_back({std::move(store)});
  }

  // Direct operands read the whole tensor: once at the start, or just before each use when the
  // scope also writes windows of it.
  void load_whole(Kernel& k, VarId v, bool before_each) {
    if (!before_each) {
      const VarId tile = tile_for(v, "_whole");
      Place place = k.place;
      for_each_op(k.body, [&](Op& op) {
        if (is_windowed(op) && op.kind != OpKind::Assemble && op.kind != OpKind::Store) return;
        if (std::ranges::find(op.args, v) != op.args.end()) place = op.place;
        std::replace(op.args.begin(), op.args.end(), v, tile);
      });
      p_[tile].place = place;
      k.body.insert(k.body.begin(), {load_op(v, tile, place)});
      return;
    }
    load_before_uses(k.body, v);
  }

  void load_before_uses(Block& block, VarId v) {
    Block out;
    for (Stmt& s : block) {
      for_each_body(s, [&](Block& body) { load_before_uses(body, v); });
      auto* op = s.as<Op>();
      const bool direct = op && op->kind != OpKind::Slice && op->kind != OpKind::Load &&
                          std::ranges::find(op->args, v) != op->args.end();
      if (direct) {
        const VarId tile = tile_for(v, "_whole");
        p_[tile].place = op->place;
        out.push_back({load_op(v, tile, op->place)});
        std::replace(op->args.begin(), op->args.end(), v, tile);
      }
      out.push_back(std::move(s));
    }
    block = std::move(out);
  }

  static void make_windows_explicit(Block& body, VarId v) {
    for_each_op(body, [&](Op& op) {
      if (op.kind == OpKind::Slice && op.args[0] == v) op.kind = OpKind::Load;
      if (op.kind == OpKind::Assemble && op.dst == v) op.kind = OpKind::Store;
    });
  }

  // load and store are between GM and a tile; between tiles they are slice and assemble.
  void reject_gm_ops_on_tiles(Kernel& k) {
    const auto in_gm = [&](VarId v) { return gm_.contains(v.value); };
    for_each_op(k.body, [&](Op& op) {
      if (op.kind == OpKind::Load && !in_gm(op.args[0]))
        context_.report(p_, op.place, k.name, written_text(op, p_),
                        {.code = "load-tile",
                         .what = fmt::format("load of {}, which is a tile of this scope",
                                             p_[op.args[0]].written_name()),
                         .law = "load copies a GM tensor into on-chip memory",
                         .help = "use slice or move"});
      if (op.kind == OpKind::Store && !in_gm(op.dst)) op.kind = OpKind::Assemble;
    });
  }

  void note_escape(VarId v, KernelId id, const KernelArg& arg) {
    if (!is_made_by_kernels(v)) return;
    const auto it = std::ranges::find(plan_.escapes, v, &Escape::var);
    if (it == plan_.escapes.end()) {
      plan_.escapes.push_back({v, id, {}, p_[v].bytes()});
    } else if (!arg.escape) {
      it->to.push_back(id);
    }
  }

  void find_scalars(Kernel& k) {
    std::set<uint32_t> inside;
    for_each_stmt(k.body, [&](const Stmt& s) {
      if (const VarId v = scalar_defined(s); v.valid()) inside.insert(v.value);
    });
    for_each_stmt(k.body, [&](const Stmt& s) {
      for_each_scalar_use(s, [&](VarId v) {
        // A scalar both set inside and used before that still comes from outside.
        const bool from_outside = !inside.contains(v.value) || outer_scalars_.contains(v.value);
        if (from_outside && std::ranges::find(k.scalars, v) == k.scalars.end()) k.scalars.push_back(v);
      });
    });
  }

  Plan& plan_;
  Program& p_;
  UniqueNames unique_;
  PassContext& context_;
  std::set<uint32_t> gm_, made_by_orchestrator_, written_, outer_scalars_;
  std::map<std::string, int> names_;
};

}  // namespace

void outline_scopes(Plan& plan, PassContext& context) { Outliner(plan, context).run(); }

}  // namespace tilewright::compile
