#include "generator.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/base/rng.h"
#include "tilewright/dsl/ops.h"

namespace tilewright::fuzz {
namespace {

using namespace dsl;

class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed), p_("fuzz") {}

  ir::Program run() {
    declare_parameters();
    const int64_t statements = 2 + below(4);
    for (int64_t i = 0; i < statements; ++i) orchestrator_statement(0);
    write_outputs();
    return p_.finish();
  }

 private:
  struct Gm {
    Tensor t;
    bool writable;
  };
  struct LoopVar {
    Index index;
    int64_t trips;
  };

  int64_t below(int64_t n) { return rng_.integer(0, n); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  T& pick(std::vector<T>& list) { return list[static_cast<std::size_t>(below(static_cast<int64_t>(list.size())))]; }
  int64_t size() { return std::vector<int64_t>{1, 2, 3, 4, 8, 16, 24, 32}[static_cast<std::size_t>(below(8))]; }
  DType float_type() { return chance(60) ? DType::F32 : DType::BF16; }

  void declare_parameters() {
    for (int i = 0; i < 3; ++i)
      gm_.push_back({p_.input("in" + std::to_string(i), {size(), size()}, float_type()), false});
    gm_.push_back({p_.state("state", {size(), size()}, float_type()), true});
    lens_.emplace_back(p_.input("lens", {4}, DType::I32));
    outputs_.push_back(p_.output("out", {size(), size()}, float_type()));
  }

  // ---- orchestrator ----

  void orchestrator_statement(int depth) {
    switch (below(depth < 2 ? 9 : 5)) {
      case 0: return create();
      case 1: return view();
      case 2: return escape_and_assemble();
      case 3:
      case 4: return plain_scope();
      case 5: return loop(depth);
      case 6: return auto_scope();
      case 7: return branch(depth);
      default: return read_scalar();
    }
  }

  void create() {
    const Tensor t = p_.tensor("temp", {size(), size()}, float_type());
    if (chance(85)) {
      auto core = p_.incore("fill");
      assign(t, p_.full(t.shape(), t.dtype(), 0.5));
    }
    gm_.push_back({t, true});
  }

  void view() {
    const Gm source = pick(gm_);
    const Shape shape = window_shape(source.t.shape());
    gm_.push_back({slice(source.t, shape, window_offset(source.t.shape(), shape)), source.writable});
  }

  void escape_and_assemble() {
    std::vector<Gm*> targets;
    for (Gm& g : gm_)
      if (g.writable) targets.push_back(&g);
    if (targets.empty()) return;
    const Tensor target = pick(targets)->t;
    const Shape shape = window_shape(target.shape());
    const auto make = [&] {
      auto core = p_.incore("escape");
      const Tensor t = source_tile(shape, DType::F32);
      return target.dtype() == DType::F32 ? add(t, 1.0) : cast(t, target.dtype());
    };
    const Tensor value = make();
    if (chance(30)) gm_.push_back({value, false});
    assemble(target, value, window_offset(target.shape(), shape));
  }

  void plain_scope() {
    auto core = p_.incore(chance(70) ? "work" : "");
    scope_body(0);
  }

  void loop(int depth) {
    const int64_t trips = chance(10) ? 0 : 1 + below(3);
    const std::size_t kept = gm_.size();
    const auto body = [&](Index i) {
      loops_.push_back({i, trips});
      if (chance(50)) {
        orchestrator_statement(depth + 1);
      } else {
        plain_scope();
      }
      loops_.pop_back();
    };
    switch (below(4)) {
      case 0: for (Index i : p_.range(trips)) body(i); break;
      case 1: for (Index i : p_.parallel(trips)) body(i); break;
      case 2: for (Index i : p_.unroll(trips)) body(i); break;
      default:
        for (Index i : p_.spmd(trips, {.name = "grid"})) {
          loops_.push_back({i, trips});
          scope_body(1);
          loops_.pop_back();
        }
    }
    // Names made in the loop stay usable only sometimes: the checker must tell when they are not.
    if (!chance(15)) forget(gm_, kept);
  }

  void branch(int depth) {
    if (loops_.empty()) return plain_scope();
    const Index i = loops_.back().index;
    const std::size_t kept = gm_.size();
    {
      auto then = p_.when(i == below(2));
      orchestrator_statement(depth + 1);
    }
    if (chance(50)) {
      auto other = p_.otherwise();
      orchestrator_statement(depth + 1);
    }
    forget(gm_, kept);
  }

  void auto_scope() {
    auto core = p_.auto_incore("auto", {.split = chance(30) ? Split::UpDown : Split::None});
    const int64_t trips = 1 + below(5);
    const auto policy = chance(70) ? ChunkPolicy::Guarded : ChunkPolicy::LeadingFull;
    if (chance(50)) scope_body(1);
    for (Index i : p_.parallel(trips, {.chunk = 1 + below(3), .policy = policy})) {
      loops_.push_back({i, trips});
      scope_body(1);
      loops_.pop_back();
    }
    if (chance(30)) scope_body(1);
  }

  void read_scalar() {
    scalars_.push_back(p_.read(lens_.front(), {below(4)}));  // values are 0..3 in the driver
    plain_scope();
  }

  // ---- scopes ----

  void scope_body(int depth) {
    const std::size_t kept = tiles_.size();
    const int64_t statements = 1 + below(5);
    for (int64_t i = 0; i < statements; ++i) scope_statement(depth);
    store_something();
    forget(tiles_, kept);
  }

  void scope_statement(int depth) {
    switch (below(depth < 2 ? 10 : 7)) {
      case 0:
      case 1: tiles_.push_back(load_some()); return;
      case 2:
      case 3: return elementwise();
      case 4: return reduction();
      case 5: return product();
      case 6: return store_something();
      case 7: return inner_loop(depth);
      case 8: return inner_branch(depth);
      default: return tile_insert();
    }
  }

  Tensor& some_tile() {
    if (tiles_.empty()) tiles_.push_back(load_some());
    return pick(tiles_);
  }

  Tensor load_some() {
    const Gm source = pick(gm_);
    const Shape shape = window_shape(source.t.shape());
    if (chance(15)) {
      const Tensor t = slice(source.t, shape, window_offset(source.t.shape(), shape),
                             {.valid_shape = {1 + below(shape[0]), 1 + below(shape[1])}});
      return fillpad(t, chance(50) ? Pad::Zero : Pad::Min);
    }
    return slice(source.t, shape, window_offset(source.t.shape(), shape));
  }

  Tensor source_tile(const Shape& shape, DType dtype) {
    const Gm source = pick(gm_);
    if (source.t.shape()[0] >= shape[0] && source.t.shape()[1] >= shape[1]) {
      const Tensor t = slice(source.t, shape, window_offset(source.t.shape(), shape));
      return t.dtype() == dtype ? t : cast(t, dtype);
    }
    return p_.full(shape, dtype, 0.25);
  }

  void elementwise() {
    const Tensor a = some_tile();
    const Tensor x = a.dtype() == DType::F32 ? a : cast(a, DType::F32);
    const auto made = [&]() -> Tensor {
      switch (below(8)) {
        case 0: return add(x, source_tile(x.shape(), DType::F32));
        case 1: return mul(x, 0.5);
        case 2: return maximum(x, source_tile(x.shape(), DType::F32));
        case 3: return neg(x);
        case 4: return exp(minimum(x, 2.0));
        case 5: return reshape(x, {x.shape()[1], x.shape()[0]});
        case 6: return transpose(x);
        default: return sub(x, source_tile({1, x.shape()[1]}, DType::F32));
      }
    };
    const Tensor r = made();
    if (chance(20) && x.var() != a.var() && r.shape() == x.shape()) assign(x, add(r, 1.0));
    tiles_.push_back(r);
  }

  void reduction() {
    const Tensor a = some_tile();
    const Tensor x = a.dtype() == DType::F32 ? a : cast(a, DType::F32);
    const Tensor v = chance(50) ? row_sum(x) : row_max(x);
    tiles_.push_back(chance(50) ? row_expand_sub(x, v) : v);
  }

  void product() {
    const int64_t m = size();
    const int64_t k = size();
    const int64_t n = size();
    const auto operand = [&](const Shape& s) { return source_tile(s, DType::BF16); };
    const Tensor acc = matmul(operand({m, k}), operand({k, n}));
    if (chance(60))
      for (Index i : p_.pipeline(below(3), {.stages = 2})) {
        (void)i;
        matmul_acc(acc, operand({m, k}), operand({n, k}), {.b_trans = true});
      }
    tiles_.push_back(acc);
    if (chance(50)) tiles_.push_back(add(acc, 0.125));
  }

  void inner_loop(int depth) {
    const int64_t trips = below(4);
    const Tensor acc = p_.full({size(), size()}, DType::F32, 0.0);
    const Index stop = !scalars_.empty() && chance(40) ? min(pick(scalars_), 3) : Index(trips);
    const std::size_t kept = tiles_.size();
    for (Index i : p_.range(stop)) {
      loops_.push_back({i, 3});
      scope_statement(depth + 1);
      assign(acc, add(acc, source_tile(acc.shape(), DType::F32)));
      if (chance(10)) p_.break_loop();
      loops_.pop_back();
    }
    if (!chance(10)) forget(tiles_, kept);
    tiles_.push_back(acc);
  }

  void inner_branch(int depth) {
    if (loops_.empty()) return elementwise();
    const std::size_t kept = tiles_.size();
    {
      auto then = p_.when(loops_.back().index < 1);
      scope_statement(depth + 1);
    }
    {
      auto other = p_.otherwise();
      scope_statement(depth + 1);
    }
    if (!chance(10)) forget(tiles_, kept);
  }

  void tile_insert() {
    const Tensor big = p_.tensor("slab", {8, 16}, DType::F32);
    if (chance(80)) assign(big, p_.full({8, 16}, DType::F32, 1.0));
    const Shape shape = window_shape(big.shape());
    assemble(big, source_tile(shape, DType::F32), window_offset(big.shape(), shape));
    tiles_.push_back(big);
  }

  void store_something() {
    std::vector<Gm*> targets;
    for (Gm& g : gm_)
      if (g.writable) targets.push_back(&g);
    if (targets.empty()) return;
    const Tensor target = pick(targets)->t;
    for (const Tensor& t : tiles_) {
      if (t.shape()[0] > target.shape()[0] || t.shape()[1] > target.shape()[1] || chance(50)) continue;
      const Tensor value = t.dtype() == target.dtype() ? t : cast(t, target.dtype());
      assemble(target, value, window_offset(target.shape(), t.shape()));
      return;
    }
  }

  void write_outputs() {
    for (const Tensor& out : outputs_) {
      auto core = p_.incore("finish");
      const Tensor x = source_tile(out.shape(), DType::F32);
      assign(out, out.dtype() == DType::F32 ? add(x, 1.0) : cast(x, out.dtype()));
    }
  }

  // ---- windows ----

  Shape window_shape(const Shape& of) {
    return {1 + below(of[0]), 1 + below(of[1])};
  }

  // Mostly inside: a constant, or a loop variable times what fits.
  Indices window_offset(const Shape& of, const Shape& window) {
    Indices offset;
    for (std::size_t d = 0; d < of.size(); ++d) {
      const int64_t room = of[d] - window[d];
      if (!loops_.empty() && chance(40)) {
        const LoopVar& v = loops_.back();
        const int64_t stride = v.trips > 1 ? room / (v.trips - 1) : room;
        offset.push_back(v.index * (chance(97) ? stride : stride + 1));
      } else if (!scalars_.empty() && room >= 3 && chance(20)) {
        offset.push_back(pick(scalars_));
      } else {
        offset.push_back(below(room + 1) + (chance(2) ? 1 : 0));
      }
    }
    return offset;
  }

  template <class T>
  static void forget(std::vector<T>& list, std::size_t keep) {
    while (list.size() > keep) list.pop_back();
  }

  Rng rng_;
  Builder p_;
  std::vector<Gm> gm_;
  std::vector<Tensor> lens_, outputs_;
  std::vector<Tensor> tiles_;
  std::vector<Index> scalars_;
  std::vector<LoopVar> loops_;
};

}  // namespace

ir::Program random_program(uint64_t seed) { return Generator(seed).run(); }

}  // namespace tilewright::fuzz
