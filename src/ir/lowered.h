// A kernel after all passes, as plain data: what every unit of a core executes, where operands
// lie, and what each instruction waits for. The pass `lower` makes it; `sim` times it, `cpu`
// builds its steps from it, golden's exact executor runs it at its addresses, and the printer
// lists it. None of these repeats a decision of the passes.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "tilewright/ir/pipe.h"
#include "tilewright/ir/statements.h"

namespace tilewright::ir {

// What an instruction does to its pipe and its operands.
enum class Action : uint8_t {
  Name,    // a new tile, a view or another valid shape: takes effect at issue and moves nothing
  Load,    // GM to a memory of the core
  Store,   // a memory of the core to GM
  Move,    // between the cube core's memories
  Drain,   // out of the accumulator into a memory of the cube core
  Clear,   // zeroes an accumulator as part of the next product, which pays for it
  Matmul,
  Vector,
  Push,    // hands a value to the other side: into a ring, or straight into its memory
  Pop,     // takes a value from a ring
  Read,    // one element becomes a scalar; later instructions are issued after it
};
std::string_view action_name(Action a);

// One allocation: bytes of a core's memory, or a ring in GM through which the two sides of a mixed
// kernel hand values over.
struct Storage {
  VarId var;  // whose bytes they are; of a ring: the value that is handed over
  MemorySpace space = MemorySpace::Vec;
  int64_t address = 0;
  int64_t bytes = 0;  // of one copy
  int copies = 1;     // copies lie one after the other; a rotating write takes the next one
  bool scratch = false;  // working space of one instruction, with no value between instructions

  bool is_ring() const { return space == MemorySpace::GM; }
  int64_t end() const { return address + bytes * copies; }
  bool contains(const Storage& o) const {
    return space == o.space && !is_ring() && address <= o.address && o.end() <= end();
  }
  bool overlaps(const Storage& o) const {
    return space == o.space && !is_ring() && address < o.end() && o.address < end();
  }
};

// A value an instruction reads or writes. Its extents are those of the variable's type, its valid
// extents follow from ir/valid_extent.h. Views have the storage of what they are views of; where in
// it they begin is said once, by the Name that makes them.
struct Operand {
  VarId var;
  int storage = -1;  // index into LoweredKernel::storage; -1: in GM
  int arg = -1;      // index into Kernel::args; -1: on chip
};

// Where the elements of a view lie, relative to what it is a view of.
struct ViewOf {
  std::vector<Expr> offset;  // per dimension of the source; empty: at its beginning
  bool reshaped = false;     // the same elements, dense, in another shape
};

// An instruction starts only after an earlier execution of another one: the last execution of `on`
// before it in program order. With copies > 1, the last one that used the copy which this
// instruction is about to overwrite: rotations of `storage` are counted, and executions of `on`
// belong to the count they happened in; the wait is for the last with the same count modulo copies.
struct Wait {
  enum class For : uint8_t {
    Data,       // this instruction reads what `on` wrote
    Overwrite,  // it overwrites what `on` wrote
    Room,       // it overwrites what `on` read
  };
  int on = -1;  // index into LoweredKernel::instructions
  For why = For::Data;
  int storage = -1;  // whose bytes they share; -1: an argument in GM
  int copies = 1;

  friend bool operator==(const Wait&, const Wait&) = default;
};
std::string_view wait_name(Wait::For why);

struct Instruction {
  Action action = Action::Name;
  CoreSide side = CoreSide::Vector;
  Pipe pipe = Pipe::Scalar;
  int statement = -1;  // its place among the statements of Kernel::body, in textual order
  Op op;               // what it computes; of a push and a pop: the move they are halves of
  Read read;           // of Action::Read
  std::optional<Operand> dst;
  std::vector<Operand> src;  // as op.args; of a pop: the ring
  std::optional<ViewOf> view;  // of a Name: dst is a view of src[0]
  int scratch = -1;            // storage it works in
  bool rotates = false;        // the result goes to the next copy of its storage
  std::vector<Wait> waits;

  const Place& place() const { return action == Action::Read ? read.place : op.place; }
  bool is_view() const { return view.has_value(); }
  int unit() const { return unit_of(side, pipe); }
};

struct LoweredNode;
using LoweredBlock = std::vector<LoweredNode>;

struct LoweredFor {
  LoopKind kind = LoopKind::Range;
  VarId var;
  Expr start, stop;
  int64_t step = 1;
  int stages = 1;
  LoweredBlock body;
};

struct LoweredWhile {
  Cond condition;
  LoweredBlock body;
};

struct LoweredIf {
  Cond condition;
  LoweredBlock then_body, else_body;
};

// ---- groups: instructions that this CPU executes as one step ----

// A loop of products over ascending blocks of k, with one left operand: one long product each.
struct ChainGroup {
  static constexpr std::size_t kMostParts = 4;  // gate and up share a loop; q, k and v could
  struct Part {
    int product = -1;      // the accumulating product
    int left = -1, right = -1;  // the views of its operands in GM
  };
  std::vector<Part> parts;
  VarId variable;       // of the loop
  int64_t first = 0;    // its first value
  int64_t depth = 0;    // k of all trips together
  bool starts = false;  // the first trip begins the sums; else they go on
};

// Instructions that work row by row: a few rows go through all of them before the next few.
struct StripGroup {
  static constexpr std::size_t kMostInputs = 16;
  struct Part {
    int instruction = -1;
    bool view = false;  // of a tile that an earlier part makes
    bool kept = false;  // read after the strip: all rows are needed
  };
  std::vector<int> views;  // of what is there before the strip; made once
  std::vector<Part> parts;
  std::vector<VarId> inputs;  // with as many rows as the results
  int64_t rows_at_once = 0;
};

// The softmax of a block of scores: scale, row maximum, difference, exp, cast, cast back, row sum.
struct SoftmaxGroup {
  int scale = -1, max = -1, difference = -1, power = -1, narrow = -1, widen = -1, sum = -1;
};

// One more block merged into a running softmax: maximum, sum and output.
struct MergeGroup {
  int max = -1, down = -1, alpha = -1, block_down = -1, beta = -1, old_sum = -1, block_sum = -1,
      sum = -1, old_out = -1, block_out = -1, out = -1, keep = -1;
};

struct Group {
  std::variant<ChainGroup, StripGroup, SoftmaxGroup, MergeGroup> what;
  LoweredBlock body;  // the same instructions one by one
};
std::string_view group_name(const Group& g);  // "chain"

struct LoweredNode {
  struct Issue { int instruction = -1; };
  std::variant<Issue, LoweredFor, LoweredWhile, LoweredIf, Let, Compute, Break, Continue, Group>
      node;

  template <class T>
  T* as() { return std::get_if<T>(&node); }
  template <class T>
  const T* as() const { return std::get_if<T>(&node); }
};

struct LoweredKernel {
  std::vector<Storage> storage;
  std::vector<Instruction> instructions;
  LoweredBlock body;
};

// Every node of a block and of the blocks inside it, in textual order.
template <class B, class F>
void for_each_node(B& block, F&& visit) {
  for (auto& n : block) {
    visit(n);
    if (auto* f = n.template as<LoweredFor>()) for_each_node(f->body, visit);
    if (auto* w = n.template as<LoweredWhile>()) for_each_node(w->body, visit);
    if (auto* c = n.template as<LoweredIf>()) {
      for_each_node(c->then_body, visit);
      for_each_node(c->else_body, visit);
    }
    if (auto* g = n.template as<Group>()) for_each_node(g->body, visit);
  }
}

}  // namespace tilewright::ir
