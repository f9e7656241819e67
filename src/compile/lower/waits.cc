// What an instruction waits for. Each unit executes its instructions in program order, and units
// run side by side; so whoever touches bytes that another unit has touched waits for it, unless
// both only read. The state while walking a kernel is the list of accesses that a later instruction
// may have to wait for.
#include <algorithm>
#include <set>
#include <tuple>

#include "tilewright/compile/lower/gm_window.h"
#include "tilewright/compile/lower/lower.h"
#include "tilewright/ir/task_graph.h"
#include "tilewright/ir/trips.h"

namespace tilewright::compile {
namespace {

using namespace ir;

struct Access {
  int instruction = -1;
  int storage = -1;  // -1: an argument in GM
  bool write = false;
  // Of a write: somebody who waited for it has read the bytes since, so that waiting for the reader
  // is enough.
  bool covered = false;
  Crossed crossed;  // of an access to GM

  auto key() const { return std::tie(instruction, storage, write, crossed); }
};
using State = std::vector<Access>;

// Finds accesses of a state by their keys; a long kernel has thousands.
struct ByKey {
  const State& state;
  using is_transparent = void;

  auto key(std::size_t place) const { return state[place].key(); }
  auto key(const Access& access) const { return access.key(); }
  bool operator()(const auto& a, const auto& b) const { return key(a) < key(b); }
};

// What holds after one of two ways to the same place.
bool join(State& into, const State& other) {
  std::set<std::size_t, ByKey> places(ByKey{into});
  for (std::size_t i = 0; i < into.size(); ++i) places.insert(i);
  bool changed = false;
  for (const Access& o : other) {
    if (const auto same = places.find(o); same == places.end()) {
      into.push_back(o);
      places.insert(into.size() - 1);
      changed = true;
    } else if (into[*same].covered && !o.covered) {
      // A write that is covered on one way only is not covered.
      into[*same].covered = false;
      changed = true;
    }
  }
  return changed;
}

class WaitFinder {
 public:
  WaitFinder(const Program& program, const SharedMemory& shared, LoweredKernel& code)
      : p_(program), shared_(shared), code_(code) {}

  void run() {
    State state;
    Ends ends;
    walk(code_.body, state, ends);
  }

 private:
  struct Ends {  // states at break and continue statements
    State broken, continued;
    bool breaks = false, continues = false;
  };

  Instruction& at(int id) { return code_.instructions[static_cast<std::size_t>(id)]; }
  const Storage& storage(int id) const { return code_.storage[static_cast<std::size_t>(id)]; }

  // ---- control ----

  // False: control does not reach the end of the block.
  bool walk(const LoweredBlock& block, State& state, Ends& ends) {
    for (const LoweredNode& n : block) {
      if (const auto* issue = n.as<LoweredNode::Issue>()) {
        execute(issue->instruction, state);
      } else if (const auto* f = n.as<LoweredFor>()) {
        loop(f->body, f, ir::at_least_once(*f), state);
      } else if (const auto* w = n.as<LoweredWhile>()) {
        loop(w->body, nullptr, false, state);
      } else if (const auto* c = n.as<LoweredIf>()) {
        if (!branch(*c, state, ends)) return false;
      } else if (n.as<Break>()) {
        ends.breaks = true;
        join(ends.broken, state);
        return false;
      } else if (n.as<Continue>()) {
        ends.continues = true;
        join(ends.continued, state);
        return false;
      }
    }
    return true;
  }

  bool branch(const LoweredIf& c, State& state, Ends& ends) {
    State other = state;
    const bool then_ends = walk(c.then_body, state, ends);
    const bool else_ends = walk(c.else_body, other, ends);
    if (then_ends && else_ends)
      join(state, other);
    else if (else_ends)
      state = std::move(other);
    return then_ends || else_ends;
  }

  // Until nothing new comes round.
  void loop(const LoweredBlock& body, const LoweredFor* f, bool at_least_once, State& state) {
    State entry = state;
    State leaving = at_least_once ? State() : state;
    for (bool changed = true; changed;) {
      State trip = entry;
      Ends ends;
      const bool reaches_end = walk(body, trip, ends);
      if (ends.continues) {
        if (reaches_end)
          join(trip, ends.continued);
        else
          trip = ends.continued;
      }
      const bool comes_round = reaches_end || ends.continues;
      if (comes_round) join(leaving, trip);
      if (ends.breaks) join(leaving, ends.broken);
      changed = comes_round && join(entry, next_trip(trip, f));
    }
    state = std::move(leaving);
  }

  static State next_trip(State state, const LoweredFor* f) {
    for (Access& a : state)
      if (a.storage < 0) a.crossed.add(f);
    return state;
  }

  // ---- one instruction ----

  void execute(int id, State& state) {
    const Instruction& in = at(id);
    if (in.action == Action::Name) return;
    State mine;
    for (const Operand& o : in.src) mine.push_back({id, o.storage, false, false, {}});
    if (in.scratch >= 0) mine.push_back({id, in.scratch, true, false, {}});
    if (in.dst) {
      if (reads_dst(in.op)) mine.push_back({id, in.dst->storage, false, false, {}});
      mine.push_back({id, in.dst->storage, true, false, {}});
    }
    for (const Access& a : mine) wait_for_earlier(a, state);
    // The issuer stops until a scalar is read: everything later comes after it.
    if (in.action == Action::Read) return;
    for (const Access& a : mine) forget_ordered(a, state);
    for (const Access& a : mine) {
      std::erase_if(state, [&](const Access& o) { return o.key() == a.key(); });
      state.push_back(a);
    }
  }

  bool conflict(const Access& later, const Access& earlier) {
    if (!later.write && !earlier.write) return false;
    if (later.storage >= 0 && earlier.storage >= 0)
      return later.storage == earlier.storage ||
             storage(later.storage).overlaps(storage(earlier.storage));
    if (later.storage >= 0 || earlier.storage >= 0) return false;
    const GmWindow a = gm_window(at(later.instruction), p_);
    const GmWindow b = gm_window(at(earlier.instruction), p_);
    return shared_.shared(a.array, b.array) && !are_disjoint(a, b, earlier.crossed);
  }

  void wait_for_earlier(const Access& mine, const State& state) {
    Instruction& in = at(mine.instruction);
    for (const Access& earlier : state) {
      if (!conflict(mine, earlier) || at(earlier.instruction).unit() == in.unit()) continue;
      if (mine.write && earlier.covered) continue;
      Wait w{earlier.instruction, Wait::For::Data, earlier.storage, 1};
      if (mine.write) w.why = earlier.write ? Wait::For::Overwrite : Wait::For::Room;
      // A new value in a buffer with several copies overwrites only the oldest.
      if (mine.write && in.rotates && mine.storage == earlier.storage)
        w.copies = storage(mine.storage).copies;
      if (std::ranges::find(in.waits, w) == in.waits.end()) in.waits.push_back(w);
    }
  }

  // Accesses that are ordered before this one, if everybody who would have to wait for them has to
  // wait for this one.
  void forget_ordered(const Access& mine, State& state) {
    if (mine.storage < 0) return;  // windows of GM overlap in part
    const Instruction& in = at(mine.instruction);
    if (mine.write) {
      // A rotating write is ordered after accesses to one of its copies only.
      const bool one_of_several = in.rotates && storage(mine.storage).copies > 1;
      std::erase_if(state, [&](const Access& earlier) {
        if (earlier.storage < 0) return false;
        return earlier.storage == mine.storage
                   ? !one_of_several
                   : storage(mine.storage).contains(storage(earlier.storage));
      });
    } else {
      std::erase_if(state, [&](const Access& earlier) {
        return !earlier.write && earlier.storage == mine.storage &&
               at(earlier.instruction).unit() == in.unit();
      });
      for (Access& earlier : state)
        if (earlier.write && earlier.storage == mine.storage) earlier.covered = true;
    }
  }

  const Program& p_;
  const SharedMemory& shared_;
  LoweredKernel& code_;
};

}  // namespace

void find_waits(const Program& program, const SharedMemory& shared, Kernel& kernel) {
  WaitFinder(program, shared, kernel.lowered).run();
}

}  // namespace tilewright::compile
