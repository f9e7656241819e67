// A kernel made ready for replay: its ops as instructions with a pipe, a side and the buffers they
// touch, its control flow as a tree. Made once per kernel, used for every execution.
#pragma once

#include <vector>

#include "tilewright/ir/plan.h"
#include "tilewright/ir/run_record.h"
#include "tilewright/platform/timing.h"

namespace tilewright::sim {

enum class Action : uint8_t {
  Rename,  // costs nothing: a view, a create, a valid shape
  Load, Store, Move, Matmul, Vector, Drain,
  Cross,   // changes sides: pushed by one, popped by the other
};

// One on-chip allocation; hazards follow from buffers, not from names.
struct TileSlot {
  int copies = 1;
  std::vector<int> overlaps;  // other buffers that share bytes with it
};

struct Instruction {
  const ir::Op* op = nullptr;
  Action action = Action::Rename;
  ir::CoreSide side = ir::CoreSide::Vector;  // of the push, for Cross
  ir::Pipe pipe = ir::Pipe::Vector;
  platform::VectorClass vector = platform::VectorClass::Copy;
  int widest = 32;      // bits of the largest element it touches
  int arg = -1;         // GM argument of a load or store
  int dst = -1;         // buffer written
  std::vector<int> src; // buffers read
  bool rotates = false;    // a new value in a pipelined buffer takes its next copy
  bool through_gm = false; // Cross
  int ring = -1;           // Cross: index of its ring
};

struct Node {
  enum class Kind : uint8_t { Instruction, For, While, If, Let, Read, Break, Continue };
  Kind kind = Kind::Instruction;
  const ir::Stmt* stmt = nullptr;
  int instruction = -1;
  int read_buffer = -1;  // Read of a tile; -1: of GM
  int read_arg = -1;
  std::vector<Node> body, other;
};

struct KernelCode {
  const ir::Kernel* kernel = nullptr;
  std::vector<Instruction> instructions;
  std::vector<Node> body;
  std::vector<TileSlot> buffers;
  int rings = 0;
  bool has_valid = false;  // extents depend on the execution
  bool has_reads = false;  // control or extents may depend on data

  // What tells executions apart: values of expressions over the kernel's scalars, and scalars that
  // are used together with variables of the kernel.
  std::vector<ir::Expr> key;
};

KernelCode make_code(const ir::Plan& plan, const ir::Kernel& kernel);

}  // namespace tilewright::sim
