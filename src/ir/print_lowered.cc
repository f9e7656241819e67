#include <fmt/format.h>

#include "tilewright/base/text.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/print.h"

namespace tilewright::ir {
namespace {

constexpr std::size_t kCommentColumn = 76;  // so that most comments stand below each other

class LoweredPrinter {
 public:
  LoweredPrinter(const Plan& plan, const Kernel& kernel)
      : p_(plan.program), k_(kernel), code_(kernel.lowered) {}

  std::string text() {
    for (std::size_t i = 0; i < code_.storage.size(); ++i) storage(i);
    block(code_.body, 1);
    return std::move(out_);
  }

 private:
  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(depth) * 4, ' ') + text + "\n";
  }

  void storage(std::size_t i) {
    const Storage& s = code_.storage[i];
    const std::string place = s.is_ring() ? fmt::format("ring of {} bytes", s.bytes)
                                          : fmt::format("{}[{}:{}]", memory_space_name(s.space),
                                                        s.address, s.address + s.bytes * s.copies);
    line(1, fmt::format("# s{} = {}{} {}{}", i, place,
                        s.copies > 1 ? fmt::format(" x{}", s.copies) : "", p_[s.var].name,
                        s.scratch ? " scratch" : ""));
  }

  void block(const LoweredBlock& body, int depth) {
    if (body.empty()) line(depth, "pass");
    for (const LoweredNode& n : body)
      std::visit([&](const auto& node) { print(node, depth); }, n.node);
  }

  void print(const LoweredNode::Issue& issue, int depth) {
    const Instruction& in = code_.instructions[static_cast<std::size_t>(issue.instruction)];
    const std::string statement =
        in.action == Action::Read ? statement_text(in.read, p_) : statement_text(in.op, p_);
    const std::size_t indented = statement.size() + static_cast<std::size_t>(depth) * 4;
    line(depth, fmt::format("{}{}  # %{}{}", statement,
                            std::string(kCommentColumn - std::min(kCommentColumn, indented), ' '),
                            issue.instruction, comment(in)));
  }

  void print(const LoweredFor& f, int depth) {
    For loop;
    loop.kind = f.kind;
    loop.var = f.var;
    loop.start = f.start;
    loop.stop = f.stop;
    loop.step = f.step;
    loop.stages = f.stages;
    line(depth, statement_text(loop, p_));
    block(f.body, depth + 1);
  }
  void print(const LoweredWhile& w, int depth) {
    line(depth, fmt::format("while {}:", condition_text(w.condition, p_)));
    block(w.body, depth + 1);
  }
  void print(const LoweredIf& c, int depth) {
    line(depth, fmt::format("if {}:", condition_text(c.condition, p_)));
    block(c.then_body, depth + 1);
    if (c.else_body.empty()) return;
    line(depth, "else:");
    block(c.else_body, depth + 1);
  }
  void print(const Let& let, int depth) { line(depth, statement_text(let, p_)); }
  void print(const Compute& c, int depth) { line(depth, statement_text(c, p_)); }
  void print(const Break&, int depth) { line(depth, "break"); }
  void print(const Continue&, int depth) { line(depth, "continue"); }
  void print(const Group& g, int depth) {
    line(depth, fmt::format("# one step: {}{}", group_name(g),
                            std::visit([&](const auto& what) { return detail(what); }, g.what)));
    block(g.body, depth + 1);
  }

  static std::string detail(const ChainGroup& c) {
    std::vector<std::string> products;
    for (const ChainGroup::Part& p : c.parts) products.push_back(fmt::format("%{}", p.product));
    return fmt::format(" of {} over k = {}{}", join(products, ", "), c.depth,
                       c.starts ? "" : ", added to what is there");
  }
  std::string detail(const StripGroup& s) const {
    std::vector<std::string> kept;
    for (const StripGroup::Part& p : s.parts)
      if (p.kept)
        kept.push_back(name(code_.instructions[static_cast<std::size_t>(p.instruction)].op.dst));
    return fmt::format(", {} at a time, keeps {}", counted(s.rows_at_once, "row"),
                       join(kept, ", "));
  }
  static std::string detail(const SoftmaxGroup&) { return ""; }
  static std::string detail(const MergeGroup&) { return ""; }

  std::string name(VarId v) const { return p_[v].name; }

  std::string place(const Operand& o, bool rotates = false) const {
    if (o.storage < 0) return name(k_.args[static_cast<std::size_t>(o.arg)].var);
    return fmt::format("s{}{}", o.storage, rotates ? "+" : "");
  }

  std::string comment(const Instruction& in) const {
    if (in.is_view()) return fmt::format(" view of {}", place(in.src[0]));
    if (in.action == Action::Name) return fmt::format(" names {}", place(*in.dst));
    std::string out = fmt::format(" {}", unit(in));
    if (in.dst) out += " " + place(*in.dst, in.rotates);
    std::vector<std::string> sources;
    for (const Operand& o : in.src) sources.push_back(place(o));
    if (in.dst && reads_dst(in.op)) sources.push_back(place(*in.dst));
    if (!sources.empty()) out += " <- " + join(sources, " ");
    if (in.scratch >= 0) out += fmt::format(" using s{}", in.scratch);
    std::vector<std::string> waits;
    for (const Wait& w : in.waits) waits.push_back(wait(w));
    return waits.empty() ? out : out + ", after " + join(waits, ", ");
  }

  static std::string unit(const Instruction& in) {
    const bool half = in.action == Action::Push || in.action == Action::Pop;
    const std::string what = half ? fmt::format("{} ", action_name(in.action)) : "";
    if (in.pipe == Pipe::Scalar) return what + std::string(action_name(in.action));
    return fmt::format("{}{} {}", what, core_side_name(in.side), pipe_name(in.pipe));
  }

  static std::string wait(const Wait& w) {
    const std::string why = w.why == Wait::For::Data ? "" : fmt::format(" {}", wait_name(w.why));
    return fmt::format("%{}{}{}{}", w.on, why, w.copies > 1 ? fmt::format("/{}", w.copies) : "",
                       w.storage < 0 ? " in GM" : "");
  }

  const Program& p_;
  const Kernel& k_;
  const LoweredKernel& code_;
  std::string out_;
};

}  // namespace

std::string print_lowered(const Plan& plan) {
  std::string out;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i)
    out += fmt::format("{}{}\n{}", i == 0 ? "" : "\n", kernel_text(plan, KernelId(i)),
                       LoweredPrinter(plan, plan.kernels[i]).text());
  return out;
}

}  // namespace tilewright::ir
