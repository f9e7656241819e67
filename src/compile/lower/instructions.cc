#include <algorithm>
#include <map>

#include "tilewright/base/check.h"
#include "tilewright/compile/lower/lower.h"
#include "tilewright/compile/sides.h"

namespace tilewright::compile {
namespace {

using namespace ir;

class Lowerer {
 public:
  Lowerer(const Program& program, Kernel& kernel, const platform::Platform& platform)
      : p_(program), k_(kernel), out_(kernel.lowered), platform_(platform) {
    for (std::size_t i = 0; i < kernel.args.size(); ++i)
      args_[kernel.args[i].var.value] = static_cast<int>(i);
    for (const TileBuffer& b : kernel.memory) take_storage(b);
    for (const TileView& v : kernel.views) {
      source_[v.var.value] = v.source;
      if (!args_.contains(v.root.value)) storage_[v.var.value] = storage_.at(v.root.value);
    }
  }

  void run() { out_.body = block(k_.body); }

 private:
  void take_storage(const TileBuffer& b) {
    const int id = add_storage({b.var, b.space, b.address, b.bytes, b.copies, b.scratch});
    if (b.scratch)
      scratch_[b.first / 2] = id;  // its lifetime is that of one op, in half steps
    else
      storage_[b.var.value] = id;
  }

  int add_storage(Storage s) {
    out_.storage.push_back(std::move(s));
    return static_cast<int>(out_.storage.size()) - 1;
  }

  LoweredBlock block(const Block& body) {
    LoweredBlock nodes;
    for (const Stmt& s : body) {
      ++statement_;
      std::visit([&](const auto& node) { lower(node, nodes); }, s.node);
    }
    return nodes;
  }

  void lower(const For& f, LoweredBlock& out) {
    LoweredFor loop{f.kind, f.var, f.start, f.stop, f.step, f.stages, {}};
    loop.body = block(f.body);
    out.push_back({std::move(loop)});
  }
  void lower(const While& w, LoweredBlock& out) {
    out.push_back({LoweredWhile{w.condition, block(w.body)}});
  }
  void lower(const If& c, LoweredBlock& out) {
    LoweredBlock then_body = block(c.then_body);  // in textual order: statements are numbered
    out.push_back({LoweredIf{c.condition, std::move(then_body), block(c.else_body)}});
  }
  void lower(const Scope&, LoweredBlock&) { bug("a scope inside a kernel"); }
  void lower(const TaskSet&, LoweredBlock&) { bug("names of tasks inside a kernel"); }
  void lower(const Signal&, LoweredBlock&) {}  // links are free: a wait takes no time
  void lower(const ExternalCall&, LoweredBlock&) {}  // its instructions are not known
  void lower(const Let& let, LoweredBlock& out) { out.push_back({let}); }
  void lower(const Compute& c, LoweredBlock& out) { out.push_back({c}); }
  void lower(const Break& b, LoweredBlock& out) { out.push_back({b}); }
  void lower(const Continue& c, LoweredBlock& out) { out.push_back({c}); }

  void lower(const Read& read, LoweredBlock& out) {
    Instruction in = started(Action::Read);
    in.side = k_.core == CoreKind::Vector || !platform_.device ? CoreSide::Vector : CoreSide::Cube;
    in.pipe = Pipe::Scalar;
    in.read = read;
    in.src.push_back(operand(read.array));
    issue(std::move(in), out);
  }

  void lower(const Op& op, LoweredBlock& out) {
    const auto scratch = scratch_.find(time_++);
    if (source_.contains(op.dst.value)) return issue(view(op), out);
    if (platform_.device && side_of(op, p_) == Side::Both) return hand_over(op, out);
    Instruction in = started(Action::Vector);
    take_work(op, in);
    in.op = op;
    for (VarId v : op.args) in.src.push_back(operand(v));
    in.dst = operand(op.dst);
    if (scratch != scratch_.end()) in.scratch = scratch->second;
    in.rotates = (in.action == Action::Load || in.action == Action::Move) && copies(*in.dst) > 1;
    issue(std::move(in), out);
  }

  // On this CPU whoever runs the task does all of it, one instruction after the other.
  void take_work(const Op& op, Instruction& in) const {
    if (platform_.device) {
      const Work work = work_of(op, p_);
      in.action = work.action;
      in.side = work.side;
      in.pipe = work.pipe;
    } else if (op.kind == OpKind::Create) {
      in.action = Action::Name;
    } else if (op.kind == OpKind::Load) {
      in.action = Action::Load;
    } else if (op.kind == OpKind::Store) {
      in.action = Action::Store;
    } else if (op_info(op.kind).on_cube) {
      in.action = Action::Matmul;
    }
  }

  Instruction view(const Op& op) {
    Instruction in = started(Action::Name);
    in.side = platform_.device && side_of(op, p_) == Side::Cube ? CoreSide::Cube : CoreSide::Vector;
    in.op = op;
    in.src.push_back(operand(op.args[0]));
    in.dst = operand(op.dst);
    in.view = ViewOf{op.offset, op_info(op.kind).view == ViewKind::Relabel};
    return in;
  }

  // Through GM by a store and a load, or straight into the consumer's memory.
  void hand_over(const Op& op, LoweredBlock& out) {
    const bool from_cube = is_cube_space(*p_[op.args[0]].space);
    Instruction push = started(Action::Push);
    push.side = from_cube ? CoreSide::Cube : CoreSide::Vector;
    push.pipe = from_cube ? Pipe::Fixpipe : Pipe::Mte3;
    push.op = op;
    push.src.push_back(operand(op.args[0]));
    const auto crossing = std::ranges::find_if(k_.crossings, [&](const Crossing& c) {
      return c.from == op.args[0] && c.to == op.dst;
    });
    if (crossing != k_.crossings.end() && !crossing->through_gm) {
      push.dst = operand(op.dst);
      push.rotates = copies(*push.dst) > 1;
      return issue(std::move(push), out);
    }
    const int slots = platform_.timing ? std::max(1, platform_.timing->cross.slots) : 1;
    const int ring =
        add_storage({op.args[0], MemorySpace::GM, 0, p_[op.args[0]].bytes(), slots, false});
    push.dst = Operand{op.args[0], ring, -1};
    push.rotates = true;
    Instruction pop = started(Action::Pop);
    pop.side = from_cube ? CoreSide::Vector : CoreSide::Cube;
    pop.pipe = Pipe::Mte2;
    pop.op = op;
    pop.src.push_back(*push.dst);
    pop.dst = operand(op.dst);
    pop.rotates = copies(*pop.dst) > 1;
    issue(std::move(push), out);
    issue(std::move(pop), out);
  }

  Instruction started(Action action) const {
    Instruction in;
    in.action = action;
    in.statement = statement_;
    return in;
  }

  Operand operand(VarId v) const {
    if (const auto arg = args_.find(v.value); arg != args_.end()) return {v, -1, arg->second};
    if (const auto it = storage_.find(v.value); it != storage_.end()) return {v, it->second, -1};
    // A view of an argument.
    VarId root = v;
    while (source_.contains(root.value)) root = source_.at(root.value);
    return {v, -1, args_.at(root.value)};
  }

  int copies(const Operand& o) const {
    return o.storage < 0 ? 1 : out_.storage[static_cast<std::size_t>(o.storage)].copies;
  }

  void issue(Instruction in, LoweredBlock& out) {
    out.push_back({LoweredNode::Issue{static_cast<int>(out_.instructions.size())}});
    out_.instructions.push_back(std::move(in));
  }

  const Program& p_;
  Kernel& k_;
  LoweredKernel& out_;
  const platform::Platform& platform_;
  std::map<uint32_t, int> args_;      // by variable
  std::map<uint32_t, int> storage_;   // by variable, views included
  std::map<uint32_t, VarId> source_;  // by view
  std::map<int, int> scratch_;        // by position of the op
  int time_ = 0;                      // ops so far
  int statement_ = -1;
};

}  // namespace

void make_instructions(const Program& program, Kernel& kernel, const platform::Platform& platform) {
  Lowerer(program, kernel, platform).run();
}

}  // namespace tilewright::compile
