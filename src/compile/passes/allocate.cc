#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "tilewright/base/text.h"
#include "tilewright/compile/passes/carried.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/compile/tile_bytes.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;
using enum MemorySpace;

constexpr std::size_t kTableWidth = 200;  // places are not cut

bool is_row_reduction(OpKind k) {
  return op_family(k) == OpFamily::Reduce && op_info(k).valid == ValidRule::OneColumn;
}

// Lifetimes in half steps: an op at position t reads at 2t and writes at 2t+1 when its result may
// reuse an operand, else at 2t as well. Operands that it may not reuse are then read at 2t+1, too.
class Allocator {
 public:
  Allocator(Plan& plan, Kernel& kernel, PassContext& context)
      : p_(plan.program), k_(kernel), context_(context), carried_(kernel.body) {
    for (const KernelArg& a : k_.args) gm_.insert(a.var.value);
    for (const TileView& v : k_.views) roots_.emplace(v.var.value, v.root);
  }

  void run() {
    walk(k_.body, 1);
    extend_to_views();
    collect();
    std::vector<MemorySpace> spaces;
    for (const Memory& m : context_.platform.memories)
      if (m.space != GM) spaces.push_back(m.space);
    for (MemorySpace s : spaces) place(s);
    std::ranges::sort(k_.memory, [](const TileBuffer& a, const TileBuffer& b) {
      return std::tuple(a.space, a.address, a.first, a.var) <
             std::tuple(b.space, b.address, b.first, b.var);
    });
  }

 private:
  using Memory = platform::Memory;

  struct Life {
    int first = INT32_MAX, last = -1;
    int loop_id = -1;       // innermost loop of its first write
    int stages = 1;         // of the innermost pipeline around a load
    bool streamed = false;  // filled by a load
  };

  struct Loop {
    int begin, end, parent;
    bool pipelined;
  };

  int64_t size_of(const Var& v) const { return tile_bytes(v, context_.platform); }

  Life& life(VarId v) { return lives_[v.value]; }

  void read(VarId v, int at, int loop) {
    if (gm_.contains(v.value)) return;
    Life& l = life(v);
    l.last = std::max(l.last, at);
    extend_over_loops(l, loop);
  }

  void write(VarId v, int at, int loop) {
    if (gm_.contains(v.value)) return;
    Life& l = life(v);
    if (l.last < 0) {
      l.first = at;
      l.loop_id = loop;
    }
    l.last = std::max(l.last, at);
    extend_over_loops(l, loop);
  }

  // A value made outside a loop and touched inside lives to the loop's end.
  void extend_over_loops(Life& l, int loop) {
    for (int i = loop; i >= 0 && i != l.loop_id; i = loops_[static_cast<std::size_t>(i)].parent) {
      bool encloses = false;
      for (int j = l.loop_id; j >= 0; j = loops_[static_cast<std::size_t>(j)].parent)
        encloses = encloses || j == i;
      if (encloses) break;
      touched_in_loop_[i].push_back(&l);
    }
  }

  void walk(const Block& block, int stages, int loop = -1) {
    for (const Stmt& s : block) {
      if (const auto* op = s.as<Op>()) {
        operation(*op, stages, loop);
        ++time_;
      } else if (s.as<For>() || s.as<While>()) {
        const auto* f = s.as<For>();
        const int id = static_cast<int>(loops_.size());
        const bool pipelined = f && f->kind == LoopKind::Pipeline;
        loops_.push_back({2 * time_, 0, loop, pipelined});
        const int inner = pipelined ? f->stages : stages;
        walk(f ? f->body : s.as<While>()->body, inner, id);
        loops_[static_cast<std::size_t>(id)].end = 2 * time_ - 1;
        for (Life* l : touched_in_loop_[id]) live_through(*l, id);
        for (VarId v : carried_.around(s))
          if (!gm_.contains(v.value)) live_through(life(v), id);
      } else if (const auto* scalar = s.as<Read>()) {
        read(scalar->array, 2 * time_, loop);
      } else {
        for_each_body(s, [&](const Block& body) { walk(body, stages, loop); });
      }
    }
  }

  void live_through(Life& l, int loop) const {
    const Loop& whole = loops_[static_cast<std::size_t>(loop)];
    l.last = std::max(l.last, whole.end);
    l.first = std::min(l.first, whole.begin);
  }

  void operation(const Op& op, int stages, int loop) {
    const bool in_place = works_in_place(op);
    for (VarId v : op.args) {
      const bool replaced = in_place && may_replace(v, op.dst);
      read(v, 2 * time_ + (in_place && !replaced ? 1 : 0), loop);
      if (!replaced) continue;
      partners_[v.value].push_back(op.dst.value);
      partners_[op.dst.value].push_back(v.value);
    }
    if (reads_dst(op)) read(op.dst, 2 * time_, loop);
    write(op.dst, 2 * time_ + (in_place ? 1 : 0), loop);
    if (op.kind == OpKind::Load || moves_next_window(op, loop)) {
      life(op.dst).stages = std::max(life(op.dst).stages, stages);
      life(op.dst).streamed = true;
    }
    if (is_row_reduction(op.kind)) {
      // Hardware reduces in a working tile of the input's shape, at least 128 columns wide.
      const Var& x = p_[op.args[0]];
      Var scratch = x;
      scratch.shape.back() = std::max<int64_t>(scratch.shape.back(), 128);
      scratch_.push_back({op.args[0], size_of(scratch), 2 * time_});
    }
  }

  // What a pipelined loop takes from a tile that was there before it: the next window is moved while
  // the last one is used, as with loads.
  bool moves_next_window(const Op& op, int loop) const {
    if (op.kind != OpKind::Move || !is_cube_space(*p_[op.dst].space) || loop < 0 ||
        !loops_[static_cast<std::size_t>(loop)].pipelined)
      return false;
    const auto window = roots_.find(op.args[0].value);
    if (window == roots_.end()) return false;
    const auto made = lives_.find(op.args[0].value);
    const auto from = lives_.find(window->second.value);
    return made != lives_.end() && from != lives_.end() && made->second.loop_id == loop &&
           from->second.loop_id != loop;
  }

  // A cast to elements of another size writes where it has not read yet.
  bool works_in_place(const Op& op) const {
    return op_info(op.kind).in_place &&
           (op.kind != OpKind::Cast || bits(p_[op.args[0]].dtype) == bits(p_[op.dst].dtype));
  }

  // A vector instruction works element by element: its result may lie exactly where an operand with
  // elements of the same size lies, and nowhere else in the bytes of an operand.
  bool may_replace(VarId operand, VarId result) const {
    const Var& x = p_[operand];
    const Var& y = p_[result];
    return !is_view(operand) && x.shape == y.shape && bits(x.dtype) == bits(y.dtype) &&
           x.space == y.space;
  }

  bool is_view(VarId v) const { return roots_.contains(v.value); }

  // What a view is a view of lives as long as the view.
  void extend_to_views() {
    for (const TileView& v : k_.views)
      if (!gm_.contains(v.root.value)) life(v.root).last = std::max(life(v.root).last, life(v.var).last);
  }

  void collect() {
    for (auto& [var, l] : lives_) {
      if (is_view(VarId(var)) || l.last < 0) continue;
      const Var& v = p_.vars[var];
      k_.memory.push_back({VarId(var), *v.space, 0, size_of(v), l.stages, l.first, l.last, false});
    }
    for (const auto& s : scratch_)
      k_.memory.push_back({s.var, *p_[s.var].space, 0, s.bytes, 1, s.at, s.at, true});
    std::ranges::sort(k_.memory, [](const TileBuffer& a, const TileBuffer& b) {
      return std::tuple(a.first, a.var, a.scratch) < std::tuple(b.first, b.var, b.scratch);
    });
  }

  std::vector<TileBuffer*> in_space(MemorySpace s) {
    std::vector<TileBuffer*> out;
    for (TileBuffer& b : k_.memory)
      if (b.space == s) out.push_back(&b);
    return out;
  }

  // Which tiles that a loop loads share no bytes with others of the loop: then no load waits for
  // whoever shares its bytes.
  enum class Apart : uint8_t { None, InPipelines, All };

  // When a buffer may not share bytes. A tile that is kept apart is held through its loop.
  std::pair<int, int> held(const TileBuffer& b, Apart apart) const {
    if (apart != Apart::None && !b.scratch) {
      const Life& l = lives_.at(b.var.value);
      const Loop* loop = l.streamed && l.loop_id >= 0
                             ? &loops_[static_cast<std::size_t>(l.loop_id)]
                             : nullptr;
      if (loop && (apart == Apart::All || loop->pipelined))
        return {std::min(b.first, loop->begin), std::max(b.last, loop->end)};
    }
    return {b.first, b.last};
  }

  // Whether one of them takes over the place of the other in an op that reads one and writes the
  // other: then they have the same address, or no byte in common.
  bool replaces(const TileBuffer& a, const TileBuffer& b) const {
    if (a.scratch || b.scratch) return false;
    const auto partners = partners_.find(a.var.value);
    return partners != partners_.end() &&
           std::ranges::find(partners->second, b.var.value) != partners->second.end();
  }

  // First fit, largest first.
  int64_t assign_addresses(std::vector<TileBuffer*> buffers, Apart apart) const {
    std::ranges::stable_sort(buffers, std::greater<>(), [](const TileBuffer* b) { return b->total(); });
    int64_t high = 0;
    std::vector<const TileBuffer*> placed;
    for (TileBuffer* b : buffers) {
      std::vector<const TileBuffer*> near;  // those whose bytes it must not touch, or only exactly
      const auto [first, last] = held(*b, apart);
      for (const TileBuffer* o : placed) {
        const auto [o_first, o_last] = held(*o, apart);
        if ((o_first <= last && first <= o_last) || replaces(*b, *o)) near.push_back(o);
      }
      b->address = first_fit(*b, first, last, near, apart);
      high = std::max(high, b->address + b->total());
      placed.push_back(b);
    }
    return high;
  }

  int64_t first_fit(const TileBuffer& b, int first, int last, const std::vector<const TileBuffer*>& near,
                    Apart apart) const {
    std::vector<int64_t> starts{0};
    for (const TileBuffer* o : near) {
      starts.push_back(o->address + o->total());
      if (replaces(b, *o)) starts.push_back(o->address);
    }
    std::ranges::sort(starts);
    const auto fits = [&](int64_t at) {
      return std::ranges::all_of(near, [&](const TileBuffer* o) {
        if (at + b.total() <= o->address || o->address + o->total() <= at) return true;
        const auto [o_first, o_last] = held(*o, apart);
        const bool alive_together = o_first <= last && first <= o_last;
        return !alive_together && at == o->address;
      });
    };
    return *std::ranges::find_if(starts, fits);
  }

  static std::pair<int64_t, int> peak(const std::vector<TileBuffer*>& buffers) {
    int64_t most = 0;
    int when = 0;
    for (const TileBuffer* b : buffers) {
      int64_t sum = 0;
      for (const TileBuffer* o : buffers)
        if (o->first <= b->first && b->first <= o->last) sum += o->total();
      if (sum > most) {
        most = sum;
        when = b->first;
      }
    }
    return {most, when};
  }

  void place(MemorySpace space) {
    auto buffers = in_space(space);
    if (buffers.empty()) return;
    const Memory* memory = context_.platform.memory(space);
    // In the cube's memories two tiles that a plain loop loads one after the other share their bytes,
    // as the original's planner lets them: the second load waits for the first tile to be used, which
    // calibration row 13 shows. In Vec rows 4 and 7 show that they do not.
    int64_t high = assign_addresses(buffers, space == Vec ? Apart::All : Apart::InPipelines);
    if (memory && memory->safe && high > *memory->safe)
      high = assign_addresses(buffers, Apart::None);
    // A pipeline that does not fit keeps fewer iterations in flight.
    while (memory && memory->physical && high > *memory->physical) {
      const auto deepest = std::ranges::max_element(buffers, {}, [](auto* b) { return b->copies; });
      if ((*deepest)->copies == 1) break;
      const int depth = (*deepest)->copies;
      for (TileBuffer* b : buffers)
        if (b->copies == depth) --b->copies;
      high = assign_addresses(buffers, Apart::None);
      if (depth == 2 || high <= *memory->physical) note_depth(space, depth - 1);
    }
    const auto [most, when] = peak(buffers);
    k_.use.push_back({space, most, high});
    if (memory && memory->physical) check_capacity(*memory, buffers, most, high, when);
  }

  void note_depth(MemorySpace space, int depth) {
    context_.report(p_, k_.place, k_.name, "",
                    {.severity = Severity::Note, .code = "pipeline-depth",
                     .what = fmt::format("{} has room for {} iterations of a pipelined loop at a "
                                         "time",
                                         memory_space_name(space), depth),
                     .law = "a pipeline of F stages keeps F copies of every loaded tile",
                     .help = "use smaller tiles to keep more iterations in flight"});
  }

  void check_capacity(const Memory& memory, const std::vector<TileBuffer*>& buffers, int64_t most,
                      int64_t high, int when) {
    const int64_t need = std::max(most, high);
    const int64_t safe = memory.safe.value_or(*memory.physical);
    if (need <= safe) return;
    const bool overflow = need > *memory.physical;
    std::vector<const TileBuffer*> alive;
    for (const TileBuffer* b : buffers)
      if (b->first <= when && when <= b->last) alive.push_back(b);
    std::ranges::stable_sort(alive, std::greater<>(), [](const TileBuffer* b) { return b->total(); });
    Table table({"alive at the peak", "tile", "bytes", "place"});
    std::vector<RelatedPlace> places;
    for (const TileBuffer* b : alive) {
      const Var& v = p_[b->var];
      const std::string name = v.written_name() + (b->scratch ? " (scratch)" : "");
      const std::string bytes = b->copies > 1 ? fmt::format("{} x {}", b->copies, b->bytes)
                                              : fmt::format("{}", b->bytes);
      table.row({name, type_text(v), bytes, v.place.text()});
      places.push_back({v.place, fmt::format("alive at the peak: {} {} {}", name, type_text(v), bytes)});
    }
    const Var& largest = p_[alive.front()->var];
    const std::string_view name = memory_space_name(memory.space);
    context_.report(
        p_, largest.place, k_.name,
        fmt::format("tile {} {} = {}", largest.written_name(), type_text(largest),
                    human_bytes(alive.front()->total())),
        {.severity = overflow ? Severity::Error : Severity::Warning,
         .code = overflow ? "capacity" : "capacity-unsafe",
         .what = fmt::format("{} buffer {} in scope \"{}\": {} bytes needed, {} available on {}{}",
                             name, overflow ? "overflow" : "use above the safe limit", k_.name,
                             need, *memory.physical, context_.platform.name,
                             safe < *memory.physical ? fmt::format(" ({} safe)", safe) : ""),
         .law = "all tiles that are alive at the same time must fit into the memory",
         .help = help_for(alive.front()->var, need, safe),
         .excerpt = table.text("    ", kTableWidth),
         .related = std::move(places)});
  }

  // What the largest tile could be if all shrank alike.
  std::string help_for(VarId largest, int64_t need, int64_t safe) const {
    Var smaller = p_[largest];
    const auto share = static_cast<int64_t>(static_cast<double>(size_of(smaller)) *
                                            static_cast<double>(safe) / static_cast<double>(need));
    for (std::size_t axis = 0; axis < smaller.shape.size(); ++axis) {
      while (size_of(smaller) > share) {
        Var half = smaller;
        half.shape[axis] = (half.shape[axis] + 1) / 2;
        if (size_of(half) >= size_of(smaller)) break;  // already one fractal
        smaller = std::move(half);
      }
    }
    bool made_here = false;
    for_each_op(k_.body, [&](const Op& op) {
      made_here = made_here || (op.kind == OpKind::Create && op.dst == largest);
    });
    return fmt::format("use a smaller tile: {} fits{}", shape_text(smaller.shape),
                       made_here ? fmt::format("; or keep {} in GM and slice it", p_[largest].written_name())
                                 : "");
  }

  struct Scratch {
    VarId var;
    int64_t bytes;
    int at;
  };

  Program& p_;
  Kernel& k_;
  PassContext& context_;
  const Carried carried_;
  std::unordered_set<uint32_t> gm_;
  std::map<uint32_t, Life> lives_;  // ordered: addresses do not depend on hashing
  std::vector<Loop> loops_;
  std::unordered_map<int, std::vector<Life*>> touched_in_loop_;
  std::unordered_map<uint32_t, VarId> roots_;  // by view
  // Operand and result of one op, in both directions.
  std::unordered_map<uint32_t, std::vector<uint32_t>> partners_;
  std::vector<Scratch> scratch_;
  int time_ = 0;
};

}  // namespace

void allocate(Plan& plan, PassContext& context) {
  for (Kernel& k : plan.kernels) Allocator(plan, k, context).run();
}

}  // namespace tilewright::compile
