#include "tilewright/emit/kernel/kernel_file.h"

#include <fmt/format.h>

#include <set>

#include "tilewright/base/check.h"
#include "tilewright/emit/emit.h"
#include "tilewright/emit/kernel/barriers.h"
#include "tilewright/emit/kernel/flags.h"
#include "tilewright/emit/kernel/instruction.h"
#include "tilewright/emit/kernel/queues.h"
#include "tilewright/ir/print.h"

namespace tilewright::emit {

using namespace ir;

namespace {

class KernelWriter {
 public:
  KernelWriter(const Plan& plan, KernelId id, CoreSide side, Refusals& refusals)
      : plan_(plan),
        p_(plan.program),
        id_(id),
        k_(plan.kernel(id)),
        side_(side),
        refusals_(refusals),
        spell_(p_),
        tiles_(p_, k_, side, refusals),
        flags_(k_.lowered, side),
        queues_(k_.lowered),
        barriers_(k_.lowered) {}

  std::string text() {
    Text first;  // finds the tiles that are needed as rows
    write_body(first);
    barriers_ = Barriers(k_.lowered);
    arguments();
    declarations();
    out_.blank();
    write_body(out_);
    out_.line("pipe_barrier(PIPE_ALL);");
    out_.close();
    return head() + integer_functions(out_.text()) + out_.text();
  }

 private:
  std::string head() const {
    return fmt::format(R"(// {}
// written by tilewright for PTO-ISA {:.7} ({})
#include <cstdint>

#include <pto/pto-inst.hpp>

#include "tensor.h"

#ifndef __gm__
#define __gm__
#endif
#ifndef __aicore__
#define __aicore__ [aicore]
#endif

using namespace pto;

)",
                       kernel_text(plan_, id_), kPtoIsaRevision, kRevisionMonth);
  }

  void arguments() {
    out_.open("extern \"C\" __aicore__ void kernel_entry(__gm__ int64_t* args) {");
    std::size_t i = 0;
    for (const KernelArg& a : k_.args) {
      const std::string name = spell_.name(a.var);
      const auto type = cpp_type(p_[a.var].dtype);
      if (!type)
        refusals_.add(p_[a.var].place,
                      fmt::format("{} is a tensor of {}", p_[a.var].written_name(),
                                  dtype_name(p_[a.var].dtype)),
                      "tensors of a kernel hold integers of 8 to 32 bits, FP16, BF16 or FP32",
                      "use another element type");
      out_.line(fmt::format("auto* {}_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[{}]);",
                            name, i++));
      out_.line("[[maybe_unused]] auto* " + name + " =");
      out_.line(
          fmt::format("    reinterpret_cast<__gm__ {1}*>({0}_tensor->buffer.addr) + "
                      "{0}_tensor->start_offset;",
                      name, type.value_or("void")));
    }
    if (queues_.bytes() > 0) {
      out_.line(fmt::format("auto* {}_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[{}]);",
                            kQueues, i++));
      out_.line(
          fmt::format("auto* {0} = reinterpret_cast<__gm__ uint8_t*>({0}_tensor->buffer.addr) + "
                      "{0}_tensor->start_offset;",
                      kQueues));
    }
    for (VarId v : k_.scalars) {
      const bool real = is_float(p_[v].dtype);
      out_.line(fmt::format("[[maybe_unused]] const {} {} = {};", spell_.scalar_type(v),
                            spell_.name(v),
                            real ? fmt::format("*reinterpret_cast<__gm__ float*>(args + {})", i)
                                 : fmt::format("args[{}]", i)));
      ++i;
    }
  }

  // Scalars that the kernel computes, then tiles.
  void declarations() {
    std::set<VarId> seen;
    const auto scalar = [&](VarId v) {
      if (seen.insert(v).second)
        out_.line(
            fmt::format("[[maybe_unused]] {} {} = 0;", spell_.scalar_type(v), spell_.name(v)));
    };
    for_each_node(k_.lowered.body, [&](const LoweredNode& n) {
      if (const auto* let = n.as<Let>()) scalar(let->var);
      if (const auto* c = n.as<Compute>()) scalar(c->var);
      const auto* issue = n.as<LoweredNode::Issue>();
      if (issue && at(*issue).action == Action::Read) scalar(at(*issue).read.var);
    });
    tiles_.declare(out_);
    for (const CoreSide to : {CoreSide::Vector, CoreSide::Cube})
      if (const auto& queue = queues_.to(to)) out_.line(queue->declaration());
  }

  const Instruction& at(const LoweredNode::Issue& i) const {
    return k_.lowered.instructions[static_cast<std::size_t>(i.instruction)];
  }

  void write_body(Text& out) {
    InstructionWriter writer(plan_, k_, tiles_, refusals_, out);
    text_ = &out;
    writer_ = &writer;
    block(k_.lowered.body);
  }

  // Whether this side has anything to do in a statement.
  bool concerns(const LoweredNode& n) const {
    // A scalar out of GM is read by both sides.
    if (const auto* issue = n.as<LoweredNode::Issue>())
      return at(*issue).side == side_ || at(*issue).action == Action::Read;
    const auto any = [&](const LoweredBlock& b) {
      for (const LoweredNode& inner : b)
        if (concerns(inner)) return true;
      return false;
    };
    if (const auto* f = n.as<LoweredFor>()) return any(f->body);
    if (const auto* w = n.as<LoweredWhile>()) return any(w->body);
    if (const auto* c = n.as<LoweredIf>()) return any(c->then_body) || any(c->else_body);
    return true;
  }

  void block(const LoweredBlock& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!concerns(nodes[i])) continue;
      const Flags::Uses& before = flags_.before(nodes, i);
      std::visit([&](const auto& node) { write(node, before); }, nodes[i].node);
      flags(flags_.behind(nodes, i));
    }
  }

  void flags(const Flags::Uses& uses) {
    for (const FlagUse& use : uses)
      for (const std::string& line : flags_.lines(use)) text_->line(line);
  }

  void write(const LoweredNode::Issue& issue, const Flags::Uses& before) {
    const Instruction& in = at(issue);
    if (in.action == Action::Name && !in.is_view()) return;
    const std::string statement =
        in.action == Action::Read ? statement_text(in.read, p_) : statement_text(in.op, p_);
    text_->line(
        fmt::format("// {}{}", in.place().known() ? in.place().text() + "  " : "", statement));
    tiles_.next_copy(in, *text_);
    tiles_.set_valid(in, *text_);
    flags(before);
    if (barriers_.needed(issue.instruction))
      text_->line(fmt::format("pipe_barrier({});", pipe_constant(in.pipe)));
    writer_->write(in);
  }

  void write(const LoweredFor& f, const Flags::Uses& before) {
    flags(before);
    const std::string v = spell_.name(f.var);
    text_->open(
        fmt::format("for (int64_t {0} = {1}, {0}_end = {2}; {0} {3} {0}_end; {0} += {4}) {{", v,
                    spell_.text(f.start), spell_.text(f.stop), f.step > 0 ? "<" : ">", f.step));
    loop_body(f.body);
  }
  void write(const LoweredWhile& w, const Flags::Uses& before) {
    flags(before);
    text_->open(fmt::format("while ({}) {{", spell_.text(w.condition)));
    loop_body(w.body);
  }
  void loop_body(const LoweredBlock& body) {
    const Barriers without = barriers_;
    barriers_.leaves(body);
    block(body);
    text_->close();
    barriers_.join(without);
  }
  void write(const LoweredIf& c, const Flags::Uses& before) {
    flags(before);
    text_->open(fmt::format("if ({}) {{", spell_.text(c.condition)));
    const Barriers without = barriers_;
    block(c.then_body);
    if (!c.else_body.empty()) {
      text_->otherwise();
      block(c.else_body);
    }
    text_->close();
    barriers_.join(without);
  }
  void write(const Let& let, const Flags::Uses&) {
    text_->line(fmt::format("{} = {};", spell_.name(let.var), spell_.text(let.value)));
  }
  void write(const Compute& c, const Flags::Uses&) {
    text_->line(fmt::format("{} = {};", spell_.name(c.var), spell_.text(c)));
  }
  void write(const Break& b, const Flags::Uses&) { jump(b.place, "break"); }
  void write(const Continue& c, const Flags::Uses&) { jump(c.place, "continue"); }
  void write(const Group&, const Flags::Uses&) { bug("a fused group on a device"); }

  void jump(const Place& place, const char* what) {
    refusals_.add(place, fmt::format("{} in a kernel", what),
                  "flags between pipes are set as often as they are waited for, in every trip",
                  "state the end of the loop in its bounds");
  }

  const Plan& plan_;
  const Program& p_;
  KernelId id_;
  const Kernel& k_;
  CoreSide side_;
  Refusals& refusals_;
  Spelling spell_;
  Tiles tiles_;
  Flags flags_;
  Queues queues_;
  Barriers barriers_;
  Text out_;
  Text* text_ = nullptr;
  InstructionWriter* writer_ = nullptr;
};

}  // namespace

std::string kernel_file(const Plan& plan, KernelId kernel, CoreSide side, Refusals& refusals) {
  return KernelWriter(plan, kernel, side, refusals).text();
}

}  // namespace tilewright::emit
