#include "tilewright/sim/kernel_code.h"

#include <algorithm>
#include <map>
#include <set>

#include "tilewright/ir/walk.h"
#include "tilewright/sim/control_key.h"

namespace tilewright::sim {
namespace {

using namespace ir;
using platform::VectorClass;

VectorClass vector_class(const Op& op) {
  switch (op.kind) {
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Cmp: return op.scalar ? VectorClass::Scalar : VectorClass::Binary;
    case OpKind::Div: return op.scalar ? VectorClass::DivideScalar : VectorClass::Divide;
    case OpKind::Neg: return VectorClass::Scalar;
    case OpKind::Exp: return VectorClass::Exp;
    case OpKind::Sqrt: return VectorClass::Root;
    case OpKind::Recip:
    case OpKind::Rsqrt: return VectorClass::Reciprocal;
    case OpKind::RowExpandAdd:
    case OpKind::RowExpandSub:
    case OpKind::RowExpandMul:
    case OpKind::RowExpandDiv: return VectorClass::RowExpand;
    case OpKind::ColExpandAdd:
    case OpKind::ColExpandSub:
    case OpKind::ColExpandMul:
    case OpKind::ColExpandDiv: return VectorClass::ColExpand;
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin: return VectorClass::RowReduce;
    case OpKind::ColSum: return VectorClass::ColReduce;
    case OpKind::Cast: return VectorClass::Cast;
    case OpKind::Full:
    case OpKind::Arange:
    case OpKind::FillPad: return VectorClass::Fill;
    case OpKind::Transpose: return VectorClass::Transpose;
    case OpKind::Sort32:
    case OpKind::MergeSort:
    case OpKind::GatherMask:
    case OpKind::Gather: return VectorClass::Sort;
    case OpKind::Create:
    case OpKind::Slice:
    case OpKind::Assemble:
    case OpKind::Load:
    case OpKind::Store:
    case OpKind::Move:
    case OpKind::Copy:
    case OpKind::Reshape:
    case OpKind::Concat:
    case OpKind::SetValid:
    case OpKind::Matmul:
    case OpKind::MatmulAcc:
    case OpKind::MatmulBias:
    case OpKind::Gemv: break;
  }
  return VectorClass::Copy;
}

class Coder {
 public:
  Coder(const Plan& plan, const Kernel& kernel) : p_(plan.program), k_(kernel) {
    code_.kernel = &kernel;
    for (std::size_t i = 0; i < kernel.args.size(); ++i)
      args_[kernel.args[i].var.value] = static_cast<int>(i);
    buffers();
  }

  KernelCode run() {
    code_.body = block(k_.body);
    code_.key = control_key(k_);
    return std::move(code_);
  }

 private:
  void buffers() {
    std::vector<const TileBuffer*> placed;
    for (const TileBuffer& b : k_.memory) {
      if (b.scratch) continue;  // working space of one vector op, which the vector pipe orders
      buffer_of_[b.var.value] = static_cast<int>(placed.size());
      placed.push_back(&b);
      code_.buffers.push_back({b.copies, {}});
    }
    for (std::size_t i = 0; i < placed.size(); ++i)
      for (std::size_t j = 0; j < placed.size(); ++j) {
        const TileBuffer& a = *placed[i];
        const TileBuffer& b = *placed[j];
        if (i != j && a.space == b.space && a.address < b.address + b.total() &&
            b.address < a.address + a.total())
          code_.buffers[i].overlaps.push_back(static_cast<int>(j));
      }
  }

  // Slices and reshapes without storage of their own are names for their source's buffer.
  int buffer(VarId v) {
    if (const auto it = buffer_of_.find(v.value); it != buffer_of_.end()) return it->second;
    const int id = static_cast<int>(code_.buffers.size());
    code_.buffers.push_back({});
    buffer_of_[v.value] = id;
    return id;
  }

  bool is_gm(VarId v) const { return args_.contains(v.value); }
  bool is_cube(VarId v) const { return p_[v].space && is_cube_space(*p_[v].space); }
  MemorySpace space(VarId v) const { return p_[v].space.value_or(MemorySpace::Vec); }

  std::vector<Node> block(const Block& b) {
    std::vector<Node> nodes;
    nodes.reserve(b.size());
    for (const Stmt& s : b) nodes.push_back(node(s));
    return nodes;
  }

  Node node(const Stmt& s) {
    Node n;
    n.stmt = &s;
    if (const auto* op = s.as<Op>()) {
      n.kind = Node::Kind::Instruction;
      n.instruction = static_cast<int>(code_.instructions.size());
      code_.instructions.push_back(instruction(*op));
    } else if (const auto* f = s.as<For>()) {
      n.kind = Node::Kind::For;
      n.body = block(f->body);
    } else if (const auto* w = s.as<While>()) {
      n.kind = Node::Kind::While;
      n.body = block(w->body);
    } else if (const auto* c = s.as<If>()) {
      n.kind = Node::Kind::If;
      n.body = block(c->then_body);
      n.other = block(c->else_body);
    } else if (s.as<Let>()) {
      n.kind = Node::Kind::Let;
    } else if (const auto* read = s.as<Read>()) {
      n.kind = Node::Kind::Read;
      code_.has_reads = true;
      if (is_gm(read->array))
        n.read_arg = args_.at(read->array.value);
      else
        n.read_buffer = buffer(read->array);
    } else {
      n.kind = s.as<Break>() ? Node::Kind::Break : Node::Kind::Continue;
    }
    return n;
  }

  Instruction instruction(const Op& op) {
    Instruction in;
    in.op = &op;
    in.widest = 8;
    code_.has_valid = code_.has_valid || !op.valid.empty();
    const auto widen = [&](VarId v) { in.widest = std::max(in.widest, bits(p_[v].dtype)); };
    if (!is_gm(op.dst)) widen(op.dst);
    for (VarId v : op.args)
      if (!is_gm(v)) widen(v);
    if (aliases(op)) {
      buffer_of_[op.dst.value] = buffer(op.args[0]);
      return in;
    }
    for (VarId v : op.args)
      if (!is_gm(v)) in.src.push_back(buffer(v));
    if (reads_dst(op)) in.src.push_back(buffer(op.dst));
    if (!is_gm(op.dst)) in.dst = buffer(op.dst);
    classify(op, in);
    in.rotates = (in.action == Action::Load || in.action == Action::Move || in.action == Action::Cross) &&
                 in.dst >= 0 && code_.buffers[static_cast<std::size_t>(in.dst)].copies > 1;
    return in;
  }

  bool aliases(const Op& op) const {
    return (op.kind == OpKind::Slice || op.kind == OpKind::Reshape || op.kind == OpKind::Copy) &&
           !is_gm(op.dst) && !is_gm(op.args[0]) && !buffer_of_.contains(op.dst.value);
  }

  void classify(const Op& op, Instruction& in) {
    in.side = !is_gm(op.dst) && is_cube(op.dst) ? CoreSide::Cube : CoreSide::Vector;
    switch (op.kind) {
      case OpKind::Create:
      case OpKind::SetValid: in.action = Action::Rename; return;
      case OpKind::Load:
        in.action = Action::Load;
        in.pipe = Pipe::Mte2;
        in.arg = args_.at(op.args[0].value);
        return;
      case OpKind::Store:
        in.arg = args_.at(op.dst.value);
        in.side = is_cube(op.args[0]) ? CoreSide::Cube : CoreSide::Vector;
        in.action = Action::Store;
        in.pipe = in.side == CoreSide::Cube ? Pipe::Fixpipe : Pipe::Mte3;
        return;
      case OpKind::Matmul:
      case OpKind::MatmulAcc:
      case OpKind::MatmulBias:
      case OpKind::Gemv:
        in.action = Action::Matmul;
        in.side = CoreSide::Cube;
        in.pipe = Pipe::Cube;
        return;
      case OpKind::Full:
        // The cube clears its accumulator while it multiplies.
        in.action = in.side == CoreSide::Cube ? Action::Rename : Action::Vector;
        in.vector = vector_class(op);
        return;
      case OpKind::Move:
      case OpKind::Slice:
      case OpKind::Reshape:
      case OpKind::Copy:
      case OpKind::Assemble: transfer(op, in); return;
      default:
        in.action = Action::Vector;
        in.vector = vector_class(op);
        return;
    }
  }

  // Between memories of the chip.
  void transfer(const Op& op, Instruction& in) {
    const MemorySpace from = space(op.args[0]);
    const MemorySpace to = space(op.dst);
    if (is_cube_space(from) != is_cube_space(to)) {
      in.action = Action::Cross;
      in.side = is_cube_space(from) ? CoreSide::Cube : CoreSide::Vector;
      in.pipe = is_cube_space(from) ? Pipe::Fixpipe : Pipe::Mte3;
      in.ring = code_.rings++;
      const auto crossing = std::ranges::find_if(
          k_.crossings, [&](const Crossing& c) { return c.from == op.args[0] && c.to == op.dst; });
      in.through_gm = crossing == k_.crossings.end() || crossing->through_gm;
      return;
    }
    if (from == MemorySpace::Acc) {
      in.action = Action::Drain;
      in.pipe = Pipe::Fixpipe;
    } else if (is_cube_space(from)) {
      in.action = Action::Move;
      in.pipe = Pipe::Mte1;
    } else {
      in.action = Action::Vector;
      in.vector = VectorClass::Copy;
    }
  }

  const Program& p_;
  const Kernel& k_;
  KernelCode code_;
  std::map<uint32_t, int> args_;
  std::map<uint32_t, int> buffer_of_;
};

}  // namespace

KernelCode make_code(const Plan& plan, const Kernel& kernel) { return Coder(plan, kernel).run(); }

}  // namespace tilewright::sim
