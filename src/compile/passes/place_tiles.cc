#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_set>

#include "tilewright/base/check.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/compile/sides.h"
#include "tilewright/compile/spelling.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/unique_names.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;
using enum MemorySpace;

// slice, reshape and copies keep a value where it is; loads and moves name its new place.
bool follows_source(OpKind k) {
  return op_info(k).view != ViewKind::Never && k != OpKind::Load && k != OpKind::Move;
}

bool makes_product(OpKind k) {
  return k == OpKind::Matmul || k == OpKind::MatmulBias || k == OpKind::Gemv;
}

// Where an operand must be; nothing when the op takes it wherever its result lives.
std::optional<MemorySpace> operand_space(const Op& op, std::size_t arg) {
  if (op_family(op.kind) == OpFamily::Matmul) return arg == 0 ? Left : (arg == 1 ? Right : Bias);
  if (follows_source(op.kind) || op.kind == OpKind::Move || op.kind == OpKind::Store ||
      op.kind == OpKind::Assemble || op.kind == OpKind::Load)
    return std::nullopt;
  return Vec;
}

class TilePlacer {
 public:
  TilePlacer(Plan& plan, Kernel& kernel, UniqueNames& names, PassContext& context)
      : p_(plan.program), k_(kernel), names_(names), context_(context) {
    for (const KernelArg& a : k_.args) gm_.insert(a.var.value);
  }

  void run() {
    gather();
    choose_homes();
    insert_moves(k_.body);
    classify();
  }

 private:
  struct Uses {
    std::vector<const Op*> defs;
    std::vector<std::pair<const Op*, std::size_t>> reads;  // op and operand index
  };

  void report(const Op& op, Problem problem) {
    context_.report(p_, op.place, k_.name, written_text(op, p_), std::move(problem));
  }

  void gather() {
    for_each_op(k_.body, [&](const Op& op) {
      if (!gm_.contains(op.dst.value)) uses_[op.dst.value].defs.push_back(&op);
      for (std::size_t i = 0; i < op.args.size(); ++i)
        if (!gm_.contains(op.args[i].value)) uses_[op.args[i].value].reads.push_back({&op, i});
    });
  }

  // A tile that the author made in a memory of the cube.
  bool is_wanted_in_cube(VarId v) const {
    const auto it = uses_.find(v.value);
    if (it == uses_.end()) return false;
    const auto asked = makers(it->second).asked;
    return asked && is_cube_space(*asked);
  }

  // Who reads a loaded value, looking through slices and reshapes.
  void consumers(VarId v, bool& cube, bool& vector, int depth = 0) const {
    const auto it = uses_.find(v.value);
    if (it == uses_.end() || depth > 8) return;
    for (const auto& [op, arg] : it->second.reads) {
      if (op_family(op->kind) == OpFamily::Matmul) {
        cube = true;
      } else if (follows_source(op->kind)) {
        consumers(op->dst, cube, vector, depth + 1);
      } else if (op->kind == OpKind::Move) {
        (is_cube_space(op->space.value_or(Vec)) ? cube : vector) = true;
      } else if (op->kind == OpKind::Assemble && arg == 0 && is_wanted_in_cube(op->dst)) {
        cube = true;
      } else {
        vector = true;
      }
    }
  }

  void choose_homes() {
    for (auto& [var, uses] : uses_) {
      Var& v = p_.vars[var];
      if (v.space) continue;
      v.space = home(VarId(var), uses);
    }
    // Followers take their source's home, in program order so that chains settle.
    for_each_op(k_.body, [&](const Op& op) {
      if (!follows_source(op.kind) || gm_.contains(op.dst.value)) return;
      const Uses& u = uses_.at(op.dst.value);
      const bool only_follower =
          std::ranges::all_of(u.defs, [](const Op* d) { return follows_source(d->kind); });
      const auto source = p_[op.args[0]].space;
      if (only_follower && source && *source != GM) p_[op.dst].space = source;
    });
  }

  // How the ops that write a tile make it.
  struct Makers {
    std::optional<MemorySpace> asked;  // by the author, or by a load or move
    const Op* accumulates = nullptr;
    const Op* product = nullptr;
    const Op* vector = nullptr;    // arithmetic of the vector core
    const Op* inserted = nullptr;  // an assemble of another tile
    const Op* loaded = nullptr;
    const Op* filled = nullptr;
  };

  static Makers makers(const Uses& uses) {
    Makers m;
    for (const Op* d : uses.defs) {
      const bool places =
          d->kind == OpKind::Create || d->kind == OpKind::Load || d->kind == OpKind::Move;
      if (places && d->space) {
        if (!m.asked) m.asked = d->space;
      } else if (makes_product(d->kind)) {
        m.product = d;
      } else if (d->kind == OpKind::MatmulAcc) {
        m.accumulates = d;
      } else if (d->kind == OpKind::Load) {
        m.loaded = d;
      } else if (d->kind == OpKind::Full) {
        m.filled = d;
      } else if (d->kind == OpKind::Assemble) {
        m.inserted = d;
      } else if (d->kind != OpKind::Create && !follows_source(d->kind)) {
        m.vector = d;
      }
    }
    return m;
  }

  MemorySpace home(VarId var, const Uses& uses) {
    const Makers m = makers(uses);
    if (m.accumulates) {
      accumulator(var, m);
      return Acc;
    }
    if (m.asked) {
      check_asked(var, m);
      return *m.asked;
    }
    if (m.product && !m.vector && !m.inserted && !m.loaded) return Acc;
    if (m.loaded && !m.vector && !m.inserted) {
      bool cube = false;
      bool vector = false;
      consumers(var, cube, vector);
      return cube && !vector ? Mat : Vec;
    }
    return Vec;
  }

  void accumulator(VarId var, const Makers& m) {
    const std::string& name = p_[var].written_name();
    if (m.asked && *m.asked != Acc)
      report(*m.accumulates,
             {.code = "accumulator",
              .what = fmt::format("matmul_acc adds to {}, a tile in {}", name,
                                  memory_space_name(*m.asked)),
              .law = "matmul_acc accumulates in Acc, the memory of the cube",
              .help = fmt::format("make the tile with {}",
                                  spelling(m.accumulates->place, Phrase::MakeAcc))});
    if (const Op* bad = m.vector ? m.vector : (m.inserted ? m.inserted : m.loaded))
      report(*bad,
             {.code = "accumulator",
              .what = fmt::format("accumulator {} is also written by {}", name, op_name(bad->kind)),
              .law = "matmul_acc accumulates in Acc; only a matmul or a fill with zero can write "
                     "Acc",
              .help = "start the chain with matmul, or compute add(x, matmul(a, b)) in vector "
                      "memory"});
    cleared(var, m);
  }

  void cleared(VarId var, const Makers& m) {
    if (!m.filled) return;
    const ScalarOperand& value = *m.filled->scalar;
    if (value.kind == ScalarOperand::Kind::Literal && value.literal == 0) return;
    report(*m.filled, {.code = "accumulator-init",
                       .what = fmt::format("accumulator {} starts at {}", p_[var].written_name(),
                                           value.kind == ScalarOperand::Kind::Literal
                                               ? fmt::format("{}", value.literal)
                                               : "a value known only at run time"),
                       .law = "the cube can clear its accumulator but cannot set it to another "
                              "value",
                       .help = "start with matmul or full(0), and add the value afterwards"});
  }

  // An author may ask for a memory that the op cannot write.
  void check_asked(VarId var, const Makers& m) {
    const MemorySpace asked = *m.asked;
    if (asked == Acc) cleared(var, m);
    const bool product_ok = asked == Acc || asked == Vec;
    const Op* bad = asked != Vec && m.vector   ? m.vector
                    : !product_ok && m.product ? m.product
                    : !product_ok && m.filled  ? m.filled
                                               : nullptr;
    if (bad)
      report(*bad,
             {.code = "result-space",
              .what = fmt::format("{} writes {}, a tile in {}", op_name(bad->kind), p_[var].written_name(),
                                  memory_space_name(asked)),
              .law = "vector ops write Vec and matmuls write Acc; only loads and moves reach the "
                     "other memories",
              .help = "let the op write its own memory, then move the result"});
  }

  // ---- moves ----

  struct Hop {
    MemorySpace to;
    bool through_gm;
  };

  // The shortest legal way; a cube-vector hand-off without a direct route goes through a GM ring.
  std::optional<std::vector<Hop>> path(MemorySpace from, MemorySpace to) const {
    std::map<MemorySpace, std::pair<MemorySpace, Hop>> came;
    std::queue<MemorySpace> queue;
    queue.push(from);
    while (!queue.empty()) {
      const MemorySpace at = queue.front();
      queue.pop();
      if (at == to) {
        std::vector<Hop> steps;
        for (MemorySpace s = to; s != from; s = came.at(s).first)
          steps.insert(steps.begin(), came.at(s).second);
        return steps;
      }
      for (MemorySpace next : kMemorySpaces) {
        if (next == GM || next == from || came.contains(next)) continue;
        const bool direct = context_.platform.has_route(at, next);
        const bool ring = !direct && ((at == Acc && next == Vec) || (at == Vec && next == Mat));
        if (!direct && !ring) continue;
        came.emplace(next, std::pair(at, Hop{next, ring}));
        queue.push(next);
      }
    }
    return std::nullopt;
  }

  using Cache = std::map<std::pair<uint32_t, MemorySpace>, VarId>;

  VarId moved(VarId v, MemorySpace to, const Op& for_op, Block& out, Cache& cache) {
    const MemorySpace from = *p_[v].space;
    if (from == to) return v;
    if (const auto it = cache.find({v.value, to}); it != cache.end()) return it->second;
    const auto steps = path(from, to);
    if (!steps) {
      report(for_op,
             {.code = "route",
              .what =
                  fmt::format("{} is in {}, but {} needs it in {}", p_[v].written_name(),
                              memory_space_name(from), op_name(for_op.kind), memory_space_name(to)),
              .law = fmt::format("{} has no route from {} to {}", context_.platform.name,
                                 memory_space_name(from), memory_space_name(to)),
              .help = fmt::format("create or load it in {}, or pass it through GM between two "
                                  "scopes",
                                  memory_space_name(to))});
      return v;
    }
    VarId at = v;
    for (const Hop& step : *steps) {
      const auto known = cache.find({v.value, step.to});
      if (known != cache.end()) {
        at = known->second;
        continue;
      }
      const VarId next = tile_like(at, step.to);
      push_move(at, next, step, for_op.place, out);
      cache[{v.value, step.to}] = next;
      at = next;
    }
    return at;
  }

  VarId tile_like(VarId v, MemorySpace space) {
    Var t = p_[v];
    t.name = names_.next(fmt::format("{}_{}", t.name, memory_space_name(space)));
    t.space = space;
    return p_.add_var(std::move(t));
  }

  void push_move(VarId from, VarId to, const Hop& step, const Place& place, Block& out) {
    Op move;
    move.kind = OpKind::Move;
    move.dst = to;
    move.args = {from};
    move.space = step.to;
    move.inserted = true;
    move.place = place;
    if (p_[to].name.starts_with(p_[from].name)) p_[to].place = place;
    out.push_back({std::move(move)});
    note_crossing(from, to, step.through_gm, place);
  }

  void note_crossing(VarId from, VarId to, bool through_gm, const Place& place) {
    const bool from_cube = is_cube_space(*p_[from].space);
    if (from_cube == is_cube_space(*p_[to].space)) return;
    k_.crossings.push_back({from, to, from_cube, p_[from].bytes(), through_gm, place});
  }

  void insert_moves(Block& block) {
    Block out;
    Cache cache;
    for (Stmt& s : block) {
      auto* op = s.as<Op>();
      if (!op) {
        for_each_body(s, [&](Block& body) { insert_moves(body); });
        out.push_back(std::move(s));
        cache.clear();  // the body may have rewritten anything
        continue;
      }
      place_operands(*op, out, cache);
      const bool to_gm = gm_.contains(op->dst.value);
      if (!to_gm)
        std::erase_if(cache, [&](const auto& e) { return e.first.first == op->dst.value; });
      if (!to_gm && makes_product(op->kind) && p_[op->dst].space == Vec) {
        // The cube's result is wanted in vector memory.
        const VarId home = op->dst;
        op->dst = tile_like(home, Acc);
        const Op product = *op;
        out.push_back(std::move(s));
        const auto steps = path(Acc, Vec);
        check(steps.has_value() && steps->size() == 1, "Acc to Vec is one step");
        push_move(product.dst, home, steps->front(), product.place, out);
        continue;
      }
      const bool duplicate_load = op->kind == OpKind::Load && !to_gm && needs_both(op->dst);
      const Op load = *op;
      out.push_back(std::move(s));
      if (duplicate_load) {
        Op second = load;
        second.dst = tile_like(load.dst, Mat);
        second.space = Mat;
        cache[{load.dst.value, Mat}] = second.dst;
        out.push_back({std::move(second)});
      }
    }
    block = std::move(out);
  }

  bool needs_both(VarId v) const {
    bool cube = false;
    bool vector = false;
    consumers(v, cube, vector);
    return cube && vector && p_[v].space == Vec;
  }

  void place_operands(Op& op, Block& out, Cache& cache) {
    if (op.kind == OpKind::Load) {
      op.space = p_[op.dst].space;
      if (!context_.platform.has_route(GM, *op.space))
        report(op, {.code = "route",
                    .what = fmt::format("load from GM into {}", memory_space_name(*op.space)),
                    .law = fmt::format("{} has no route from GM to {}", context_.platform.name,
                                       memory_space_name(*op.space)),
                    .help = "load into Vec or Mat"});
      return;
    }
    if (op.kind == OpKind::Move) {
      explicit_move(op);
      return;
    }
    for (std::size_t i = 0; i < op.args.size(); ++i) {
      auto want = operand_space(op, i);
      if (op.kind == OpKind::Store) {
        want = context_.platform.has_route(*p_[op.args[i]].space, GM) ? *p_[op.args[i]].space : Vec;
      } else if (!want) {
        want = p_[op.dst].space;  // followers and tile inserts
      }
      op.args[i] = moved(op.args[i], *want, op, out, cache);
    }
  }

  void explicit_move(Op& op) {
    const MemorySpace from = *p_[op.args[0]].space;
    const MemorySpace to = *p_[op.dst].space;
    const auto steps = path(from, to);
    if (from == to || (steps && steps->size() == 1)) {
      note_crossing(op.args[0], op.dst, steps && !steps->empty() && steps->front().through_gm,
                    op.place);
      return;
    }
    report(op, {.code = "route",
                .what = fmt::format("move of {} from {} to {}", p_[op.args[0]].written_name(),
                                    memory_space_name(from), memory_space_name(to)),
                .law = fmt::format("{} has no direct route from {} to {}", context_.platform.name,
                                   memory_space_name(from), memory_space_name(to)),
                .help = "load from GM into Vec or Mat, and move from Mat to Left or Right; Acc "
                        "drains to GM"});
  }

  void classify() {
    bool cube = false;
    bool vector = false;
    const Op* first_cube = nullptr;
    const Op* first_vector = nullptr;
    for_each_op(k_.body, [&](const Op& op) {
      const Side side = side_of(op, p_);
      if (side != Side::Vector && !first_cube) first_cube = &op;
      if (side != Side::Cube && !first_vector) first_vector = &op;
      cube = cube || side != Side::Vector;
      vector = vector || side != Side::Cube;
    });
    k_.core = cube && vector ? CoreKind::Mixed : (cube ? CoreKind::Cube : CoreKind::Vector);
    const bool wrong = (k_.level == Level::AIC && vector) || (k_.level == Level::AIV && cube);
    if (wrong)
      report(k_.level == Level::AIC ? *first_vector : *first_cube,
             {.code = "level-core",
              .what = fmt::format("{} work in a scope at level {}",
                                  k_.level == Level::AIC ? "vector" : "cube", level_name(k_.level)),
              .law = "level AIC runs only cube work, and level AIV only vector work",
              .help = "use CORE_GROUP, which runs both"});
  }

  Program& p_;
  Kernel& k_;
  UniqueNames& names_;
  PassContext& context_;
  std::unordered_set<uint32_t> gm_;
  std::map<uint32_t, Uses> uses_;  // ordered: so are messages
};

}  // namespace

void place_tiles(Plan& plan, PassContext& context) {
  UniqueNames names(plan.program);
  for (Kernel& k : plan.kernels)
    if (!k.external.valid()) TilePlacer(plan, k, names, context).run();
}

}  // namespace tilewright::compile
