// One execution of a kernel with regions in place of data: which parts of GM it touches, whether
// everything it touches is inside its tensor and valid, and what is defined afterwards. Undefined
// elements are carried along as values (ir/spoil.h); where data decides control flow, both ways are
// taken and what they make is joined.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tilewright/compile/ranks/rank_trace.h"
#include "tilewright/compile/unroll/buffers.h"
#include "tilewright/compile/unroll/findings.h"
#include "tilewright/compile/unroll/iteration.h"
#include "tilewright/compile/unroll/undecided.h"
#include "tilewright/compile/unroll/valid.h"
#include "tilewright/ir/scalar_ranges.h"

namespace tilewright::compile {

class KernelTrace {
 public:
  // Gives the value of an element of an In parameter, when it is known before tasks run.
  using ReadElement = std::function<std::optional<double>(ir::VarId array, int64_t element)>;

  KernelTrace(const ir::Plan& plan, std::vector<Binding>& bindings, Iteration& iteration,
              Findings& findings, Causes& causes, ReadElement read_element);

  // Tells `ranks` of every access to a window and of every signal.
  void record_ranks(RankTrace* ranks) { ranks_ = ranks; }

  // Runs the kernel; `env` holds its scalars. `task` is how messages name the execution.
  void run(const ir::Kernel& kernel, ir::ScalarEnv& env, uint32_t submitted,
           LargeVector<ir::Access>& accesses);

  // ---- visitor of control.h ----
  void op(const ir::Op& op);
  void scope(const ir::Scope&) {}
  void tasks(const ir::TaskSet&) {}
  void signal(const ir::Signal& signal);
  void external(const ir::ExternalCall& call);
  void read(const ir::Read& read);
  void let(const ir::Let& let);
  void compute_scalar(const ir::Compute& c);
  void begin_loop(const ir::For& loop) { iteration_.begin(loop); }
  void enter_trip(const ir::For&, int64_t) {}
  void leave_loop(const ir::For&) { iteration_.leave(); }
  void fail(const Place& place, Problem problem);
  bool undecided(const ir::For& loop, std::span<const ir::VarId> unknown);
  bool undecided(const Place& place, std::span<const ir::VarId> unknown);
  void forget(std::span<const ir::VarId> scalars);
  void begin_either(std::vector<ir::VarId> scalars);
  void other_side();
  void end_either();

 private:
  struct Tile {
    uint32_t generation = 0;
    Extent valid{};
    bool whole = false;  // everything valid is defined, and there is no map of it
    Contents contents;   // else what is
    const ir::Op* writer = nullptr;
  };
  struct Saved {
    ir::VarId var;
    Tile tile;
  };
  // Elements of GM that one side of a fork has defined, if it is taken.
  struct Written {
    Contents* contents;
    ir::Rect rect;
  };
  // Two ways of which data takes one.
  struct Fork {
    ScalarSides scalars;
    std::vector<Saved> before = {};  // tiles that either side has changed, as they were
    std::vector<Saved> first = {};   // the same after the first side
    std::vector<Written> written = {},
                         written_first = {};  // on the side that is taken, on the first
  };
  // Where a window begins; data may move it by the slack of each dimension.
  struct Start {
    std::array<int64_t, ir::kMaxRank> offset{}, slack{};
  };

  bool is_gm(ir::VarId v) const { return kernel_args_[v.index()] == generation_; }
  Passage by(const ir::Op& op) const { return {&op, nullptr, kernel_}; }
  Passage by(const ir::Read& read) const { return {nullptr, &read, kernel_}; }
  void problem(const ir::Op& op, Problem p);
  void problem(const ir::Read& read, Problem p);

  // ---- kernel_trace.cc: windows and GM ----
  void trace(const ir::Op& op);
  void load(const ir::Op& op);
  void store(const ir::Op& op);
  bool valid_of(const ir::Op& op, Extent& out);
  bool offsets_of(const ir::Op& op, const ir::Var& array, const Extent& extent, std::size_t rank,
                  Start& start);
  // Where device data chooses the offset, an access may be anywhere up to it: it is ordered after
  // all of that, and a write is not known to define any of it.
  struct Reach {
    Shape shape;  // one number per dimension of the array
    bool certain;
  };
  static Reach reach_of(const ir::Var& array, const Extent& extent, std::size_t rank,
                        const Start& start);
  void touch(const ir::Op& op, ir::VarId name, const ir::TensorRef& window, bool write,
             bool certain);
  void note_access(const ir::Access& access);
  void check_view(const ir::Op& op, ir::VarId name, const ir::Rect& r);

  // ---- tile_trace.cc: tiles and what is defined in them ----
  Tile& tile(ir::VarId v);
  Tile& change(ir::VarId v);  // the tile, about to be written
  Tile& define_whole(const ir::Op& op, const Extent& valid);
  Contents& contents(Tile& t, ir::VarId v) const;
  void settle(Tile& t, ir::VarId v) const;
  ir::Rect valid_rect(const Tile& t, ir::VarId v) const;
  void set_valid(const ir::Op& op);
  void compute(const ir::Op& op);
  // Whether the operands are whole, and the op says nothing of whole operands but that its result
  // is whole: the usual case, by a table.
  bool is_whole_from_whole(const ir::Op& op);
  bool is_plain(const ir::Op& op);
  void finish(const ir::Op& op, const Extent& valid);
  bool lacks(const ir::Op& op, std::size_t i, const Extent& valid);
  void spoil_beyond(const ir::Op& op, const Extent& own, ir::VarId operand, Contents& made);

  // ---- window_trace.cc ----
  // Elements that an op moves: undefined ones are undefined where they arrive. `window` is the
  // place in the other array, which is `from` or `to`.
  ir::TensorRef tile_window(ir::VarId v, const Shape& extent, bool transposed = false) const;
  void move(const ir::Op& op, const Contents& from, const ir::TensorRef& window, const Reach& reach,
            Tile& to);
  void put(const ir::Op& op, const Tile& from, const ir::TensorRef& window, const Reach& reach,
           Contents& to);
  void put_perhaps(const ir::Op& op, const Tile& from, const ir::TensorRef& window, Contents& to);
  void slice(const ir::Op& op);
  void assemble(const ir::Op& op);

  // ---- scalar_trace.cc ----
  void read_tile(const ir::Read& read, const Start& start, const Shape& extent, bool known);
  void read_contents(const ir::Read& read, const Contents& contents, const ir::Rect& r, bool known);
  CauseId undefined_scalar(const ir::ScalarOperand& o) const;
  CauseId undefined_scalar(const ir::Expr& e) const;
  CauseId undefined_scalar(ir::VarId v) const;
  // An undefined value in a place where only a defined one has a meaning. It may be met in every
  // task: words are made for the first time only.
  bool is_news(const void* subject, CauseId cause);
  Problem undefined_index(const std::string& what, CauseId cause) const;

  // ---- either_trace.cc: control flow that data decides ----
  static void remember(Fork& fork, ir::VarId v, const Tile& t);
  void written_on_this_side(Contents& contents, const ir::TensorRef& window, bool defined);
  void define(Contents& contents, const ir::Rect& r);
  Tile joined(ir::VarId v, Tile a, Tile b);

  const ir::Program& p_;
  std::vector<Binding>& bindings_;
  Iteration& iteration_;
  Findings& findings_;
  Causes& causes_;
  ReadElement read_element_;
  std::vector<Tile> tiles_;
  std::vector<Extent> full_;  // by variable
  std::unordered_map<const ir::Op*, bool> plain_;
  std::vector<uint32_t> kernel_args_;
  std::map<ir::VarId, CauseId> scalar_causes_;  // of undefined scalars
  ir::ScalarRanges ranges_;
  std::vector<Fork> forks_;
  uint32_t generation_ = 0;
  uint32_t submitted_ = 0;
  const ir::Kernel* kernel_ = nullptr;
  ir::ScalarEnv* env_ = nullptr;
  LargeVector<ir::Access>* accesses_ = nullptr;
  std::size_t accesses_begin_ = 0;
  RankTrace* ranks_ = nullptr;  // of a program of several ranks
};

}  // namespace tilewright::compile
