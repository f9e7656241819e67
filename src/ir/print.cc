#include "tilewright/ir/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "tilewright/base/text.h"

namespace tilewright::ir {
namespace {

std::string indent(int depth) { return std::string(static_cast<std::size_t>(depth) * 4, ' '); }

std::string number_text(double v, bool integral) {
  if (std::isinf(v)) return v > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  if (integral && v == std::trunc(v) && std::fabs(v) < 1e15)
    return fmt::format("{}", static_cast<int64_t>(v));
  std::string s = fmt::format("{}", v);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

// A string as Python writes it.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + "\"";
}

std::string identifier(std::string_view name) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "p_");
  if (is_reserved_word(out)) out += '_';
  return out;
}

std::string class_name(std::string_view name) {
  std::string out;
  bool upper = true;
  for (char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out.insert(0, "P");
  if (is_reserved_word(out)) out += '_';
  return out;
}

class Printer {
 public:
  explicit Printer(const Program& program) : p_(program) {}

  std::string header();
  void block(const Block& body, int depth);
  std::string op_text(const Op& op) const;
  std::string read_text(const Read& read) const {
    return fmt::format("{} = pl.tensor.read({}, {})", name(read.var), name(read.array),
                       exprs(read.index));
  }
  std::string take() { return std::move(out_); }
  void line(int depth, const std::string& text) { out_ += indent(depth) + text + "\n"; }

 private:
  std::string name(VarId v) const { return p_[v].name; }
  std::string expr(const Expr& e) const {
    return text(e, [this](VarId v) { return name(v); });
  }
  std::string cond(const Cond& c) const {
    return text(c, [this](VarId v) { return name(v); });
  }
  std::string exprs(const std::vector<Expr>& list) const {
    std::vector<std::string> parts;
    for (const Expr& e : list) parts.push_back(expr(e));
    return "[" + join(parts, ", ") + "]";
  }
  std::string dtype(DType t) const { return fmt::format("pl.{}", dtype_name(t)); }
  std::string tensor_type(const Var& v) const;
  std::string scalar_text(const ScalarOperand& s) const;
  std::string call(const Op& op, std::vector<std::string> args) const {
    return fmt::format("{} = pl.{}({})", name(op.dst), op_name(op.kind), join(args, ", "));
  }
  std::string memory_op(const Op& op) const;
  std::string layout_op(const Op& op) const;
  std::string matmul_op(const Op& op) const;
  std::string plain_op(const Op& op) const;
  std::string sort_op(const Op& op) const;
  std::string loop_text(const For& f) const;
  std::string scope_text(const Scope& s) const;
  void statement(const Stmt& s, int depth);

  const Program& p_;
  std::string out_;
};

std::string space_arg(MemorySpace s) {
  return fmt::format("target_memory=pl.MemorySpace.{}", memory_space_name(s));
}

std::string Printer::tensor_type(const Var& v) const {
  if (v.scalar) return fmt::format("pl.Scalar[{}]", dtype(v.dtype));
  const std::string layout =
      v.layout == Layout::ND ? "" : fmt::format(", pl.Layout.{}", layout_name(v.layout));
  return fmt::format("pl.Tensor[{}, {}{}]", list_text(v.shape), dtype(v.dtype), layout);
}

std::string Printer::scalar_text(const ScalarOperand& s) const {
  switch (s.kind) {
    case ScalarOperand::Kind::Literal: return number_text(s.literal, s.integral);
    case ScalarOperand::Kind::Variable: return name(s.variable);
    case ScalarOperand::Kind::Index: return expr(s.index);
  }
  return "";
}

std::string Printer::memory_op(const Op& op) const {
  const Var& dst = p_[op.dst];
  switch (op.kind) {
    case OpKind::Create: {
      const std::string args = fmt::format("{}, dtype={}", list_text(dst.shape), dtype(dst.dtype));
      return op.space ? fmt::format("{} = pl.create_tile({}, {})", dst.name, args,
                                    space_arg(*op.space))
                      : fmt::format("{} = pl.create_tensor({})", dst.name, args);
    }
    case OpKind::Full:
      return call(op, {list_text(dst.shape), "dtype=" + dtype(dst.dtype),
                       "value=" + scalar_text(*op.scalar)});
    case OpKind::Slice: {
      std::vector<std::string> args{name(op.args[0]), list_text(dst.shape), exprs(op.offset)};
      if (!op.valid.empty()) args.push_back("valid_shape=" + exprs(op.valid));
      if (op.pad != Pad::Null) args.push_back(fmt::format("pad_value=pl.PadValue.{}", pad_name(op.pad)));
      return call(op, args);
    }
    case OpKind::Load: {
      // The dialect gives the window in GM, the program the tile.
      Shape shape = dst.shape;
      std::vector<Expr> valid = op.valid;
      if (op.transpose) {
        std::reverse(shape.begin(), shape.end());
        std::reverse(valid.begin(), valid.end());
      }
      std::vector<std::string> args{name(op.args[0]), exprs(op.offset), list_text(shape)};
      args.push_back(space_arg(op.space.value_or(MemorySpace::Vec)));
      if (!valid.empty()) args.push_back("valid_shapes=" + exprs(valid));
      if (op.transpose) args.emplace_back("transpose=True");
      return call(op, args);
    }
    case OpKind::Assemble:
    case OpKind::Store: {
      std::vector<std::string> args =
          op.kind == OpKind::Assemble
              ? std::vector<std::string>{dst.name, name(op.args[0]), exprs(op.offset)}
              : std::vector<std::string>{name(op.args[0]), exprs(op.offset), dst.name};
      if (op.atomic_add) args.emplace_back("atomic=pl.AtomicType.Add");
      return call(op, args);
    }
    case OpKind::Move:
      return call(op, {name(op.args[0]), space_arg(op.space.value_or(MemorySpace::Vec))});
    case OpKind::Copy: return fmt::format("{} = {}", dst.name, name(op.args[0]));
    default: return "";
  }
}

std::string Printer::layout_op(const Op& op) const {
  const std::string x = name(op.args[0]);
  switch (op.kind) {
    case OpKind::Reshape: return call(op, {x, list_text(p_[op.dst].shape)});
    case OpKind::Concat: return call(op, {x, name(op.args[1])});
    case OpKind::Transpose: return call(op, {x, "0", "1"});
    case OpKind::FillPad: return call(op, {x, fmt::format("pad_value=pl.PadValue.{}", pad_name(op.pad))});
    case OpKind::SetValid: {
      std::vector<std::string> args{x};
      for (const Expr& e : op.valid) args.push_back(expr(e));
      return call(op, args);
    }
    case OpKind::Cast: {
      std::vector<std::string> args{x, "target_type=" + dtype(p_[op.dst].dtype)};
      if (op.cast_mode != CastMode::Rint)
        args.push_back(fmt::format("mode=\"{}\"", cast_mode_name(op.cast_mode)));
      return call(op, args);
    }
    default: return "";
  }
}

std::string Printer::matmul_op(const Op& op) const {
  std::vector<std::string> args;
  if (op.kind == OpKind::MatmulAcc) args.push_back(name(op.dst));
  for (VarId v : op.args) args.push_back(name(v));
  if (op.kind != OpKind::MatmulAcc) args.push_back("out_dtype=" + dtype(p_[op.dst].dtype));
  if (op.a_trans) args.emplace_back("a_trans=True");
  if (op.b_trans) args.emplace_back("b_trans=True");
  return call(op, args);
}

// Elementwise and reduce: operands, then a scalar, then the few keywords.
std::string Printer::plain_op(const Op& op) const {
  std::vector<std::string> args;
  for (VarId v : op.args) args.push_back(name(v));
  if (op.scalar) args.push_back(scalar_text(*op.scalar));
  if (op.kind == OpKind::Cmp)
    args.push_back(fmt::format("cmp_type={}", static_cast<int>(op.compare)));
  if (op.high_precision) args.emplace_back("high_precision=True");
  return call(op, args);
}

std::string Printer::sort_op(const Op& op) const {
  const Var& dst = p_[op.dst];
  switch (op.kind) {
    case OpKind::Arange:
      return call(op, {scalar_text(*op.scalar), list_text(dst.shape), "dtype=" + dtype(dst.dtype)});
    case OpKind::MergeSort:
      if (op.args.size() == 1)
        return call(op, {name(op.args[0]), fmt::format("block_len={}", op.block_length)});
      return plain_op(op);
    case OpKind::GatherMask:
      return fmt::format("{} = pl.gather({}, mask_pattern=pl.tile.MaskPattern.{}, output_dtype={})",
                         dst.name, name(op.args[0]),
                         op.mask == MaskPattern::P0101 ? "P0101" : "P1010", dtype(dst.dtype));
    case OpKind::Gather:
      return fmt::format("{} = pl.gather({}, dim=-1, index={})", dst.name, name(op.args[0]),
                         name(op.args[1]));
    default: return plain_op(op);
  }
}

std::string Printer::op_text(const Op& op) const {
  switch (op_family(op.kind)) {
    case OpFamily::Memory: return memory_op(op);
    case OpFamily::Layout: return layout_op(op);
    case OpFamily::Matmul: return matmul_op(op);
    case OpFamily::Elementwise:
    case OpFamily::Reduce: return plain_op(op);
    case OpFamily::Sort: return sort_op(op);
  }
  return "";
}

std::string Printer::loop_text(const For& f) const {
  std::vector<std::string> args;
  if (f.start == Expr(0) && f.step == 1) {
    args.push_back(expr(f.stop));
  } else {
    args.push_back(expr(f.start));
    args.push_back(expr(f.stop));
    if (f.step != 1) args.push_back(fmt::format("{}", f.step));
  }
  if (f.chunk != 0) args.push_back(fmt::format("chunk={}", f.chunk));
  if (f.chunk != 0 && f.policy != ChunkPolicy::Guarded)
    args.push_back(fmt::format("chunk_policy=\"{}\"", chunk_policy_name(f.policy)));
  if (f.kind == LoopKind::Pipeline) args.push_back(fmt::format("stage={}", f.stages));
  if (f.sync_start) args.emplace_back("sync_start=True");
  if (!f.name.empty()) args.push_back("name_hint=" + literal(f.name));
  return fmt::format("for {} in pl.{}({}):", name(f.var), loop_kind_name(f.kind), join(args, ", "));
}

std::string Printer::scope_text(const Scope& s) const {
  const std::string hint = s.name.empty() ? "" : "name_hint=" + literal(s.name);
  if (s.kind == ScopeKind::Cluster) return fmt::format("with pl.cluster({}):", hint);
  std::vector<std::string> args{fmt::format("level=pl.Level.{}", level_name(s.level))};
  std::vector<std::string> optimizations;
  if (s.kind == ScopeKind::Auto) optimizations.emplace_back("pl.auto_chunk");
  if (s.split != Split::None)
    optimizations.push_back(fmt::format("pl.split(pl.SplitMode.{})", split_name(s.split)));
  if (!optimizations.empty()) args.push_back("optimizations=[" + join(optimizations, ", ") + "]");
  if (!hint.empty()) args.push_back(hint);
  return fmt::format("with pl.at({}):", join(args, ", "));
}

void Printer::statement(const Stmt& s, int depth) {
  if (const auto* op = s.as<Op>()) {
    line(depth, op_text(*op));
  } else if (const auto* f = s.as<For>()) {
    line(depth, loop_text(*f));
    block(f->body, depth + 1);
  } else if (const auto* w = s.as<While>()) {
    line(depth, fmt::format("while {}:", cond(w->condition)));
    block(w->body, depth + 1);
  } else if (const auto* branch = s.as<If>()) {
    line(depth, fmt::format("if {}:", cond(branch->condition)));
    block(branch->then_body, depth + 1);
    if (!branch->else_body.empty()) {
      line(depth, "else:");
      block(branch->else_body, depth + 1);
    }
  } else if (const auto* scope = s.as<Scope>()) {
    if (scope->kernel.valid()) {
      line(depth, fmt::format("kernel {}: {}", scope->kernel.index(), scope->name));
    } else {
      line(depth, scope_text(*scope));
      block(scope->body, depth + 1);
    }
  } else if (const auto* let = s.as<Let>()) {
    line(depth, fmt::format("{} = {}", name(let->var), expr(let->value)));
  } else if (const auto* read = s.as<Read>()) {
    line(depth, read_text(*read));
  } else if (s.as<Break>()) {
    line(depth, "break");
  } else if (s.as<Continue>()) {
    line(depth, "continue");
  }
}

void Printer::block(const Block& body, int depth) {
  if (body.empty()) line(depth, "pass");
  for (const Stmt& s : body) statement(s, depth);
}

std::string Printer::header() {
  line(0, fmt::format("# tilewright: program {}", p_.name));
  line(0, "import pypto.language as pl");
  line(0, "");
  line(0, "");
  line(0, "@pl.program");
  line(0, fmt::format("class {}:", class_name(p_.name)));
  line(1, "@pl.function(type=pl.FunctionType.Opaque)");
  line(1, fmt::format("def {}(", identifier(p_.name)));
  line(2, "self,");
  std::vector<std::string> returned, returned_types;
  for (const Param& param : p_.params) {
    const Var& v = p_[param.var];
    std::string type = tensor_type(v);
    if (param.direction != Direction::In) {
      returned.push_back(v.name);
      returned_types.push_back(type);
      type = fmt::format("pl.{}[{}]", direction_name(param.direction), type);
    }
    const std::string role = param.role == Role::Activation
                                 ? ""
                                 : fmt::format("  # tilewright: {}", role_name(param.role));
    line(2, fmt::format("{}: {},{}", v.name, type, role));
  }
  std::string result;
  if (returned_types.size() == 1) result = " -> " + returned_types[0];
  if (returned_types.size() > 1) result = " -> tuple[" + join(returned_types, ", ") + "]";
  line(1, ")" + result + ":");
  return returned.empty() ? "return" : "return " + join(returned, ", ");
}

std::string arg_text(const Program& p, const KernelArg& a) {
  return fmt::format("{} {}{}", direction_name(a.direction), p[a.var].name,
                     a.escape ? " (escape)" : "");
}

}  // namespace

std::string print(const Program& program) {
  Printer printer(program);
  const std::string result = printer.header();
  if (!program.body.empty()) printer.block(program.body, 2);
  printer.line(2, result);
  return printer.take();
}

std::string print(const Plan& plan) {
  std::string out = print(plan.program);
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    const Kernel& k = plan.kernels[i];
    std::vector<std::string> args;
    for (const KernelArg& a : k.args) args.push_back(arg_text(plan.program, a));
    for (VarId v : k.scalars) args.push_back("scalar " + plan.program[v].name);
    out += fmt::format("\nkernel {} {} [{}{}]({})\n", i, k.name, core_kind_name(k.core),
                       k.split == Split::None ? "" : fmt::format(", split {}", split_name(k.split)),
                       join(args, ", "));
    Printer printer(plan.program);
    printer.block(k.body, 1);
    out += printer.take();
    for (const Crossing& c : k.crossings)
      out += fmt::format("    # crosses {}: {} -> {}, {} bytes{}\n",
                         c.cube_to_vector ? "cube to vector" : "vector to cube",
                         plan.program[c.from].name, plan.program[c.to].name, c.bytes,
                         c.through_gm ? ", through GM" : "");
    for (const TileBuffer& b : k.memory)
      out += fmt::format("    # {}[{}:{}] {}{}{} live {}..{}\n", memory_space_name(b.space),
                         b.address, b.address + b.total(), plan.program[b.var].name,
                         b.scratch ? " scratch" : "",
                         b.copies > 1 ? fmt::format(" x{}", b.copies) : "", b.first, b.last);
  }
  return out;
}

std::string print(const Plan& plan, const TaskGraph& graph, std::size_t limit) {
  std::string out = fmt::format("{} tasks, {} submissions, {} buffers, {} edges\n",
                                graph.tasks.size(), graph.submissions, graph.buffers.size(),
                                graph.edges.size());
  for (std::size_t t = 0; t < graph.tasks.size() && t < limit; ++t) {
    const TaskId id(t);
    out += fmt::format("task {} {}\n", t, task_name(plan, graph, id));
    for (const Access& a : graph.accesses_of(graph.tasks[t]))
      out += fmt::format("    {} {}#{}{}\n", a.write ? "writes" : "reads",
                         plan.program[graph.buffers[a.buffer.index()].var].name, a.buffer.index(),
                         a.rect.text());
    for (const Edge& e : graph.preds(id))
      out += fmt::format("    after {} ({})\n", e.from.index(), edge_kind_name(e.kind));
  }
  if (graph.tasks.size() > limit)
    out += fmt::format("... {} more tasks\n", graph.tasks.size() - limit);
  return out;
}

std::string statement_text(const Op& op, const Program& program) {
  return Printer(program).op_text(op);
}

std::string statement_text(const Read& read, const Program& program) {
  return Printer(program).read_text(read);
}

bool is_reserved_word(std::string_view word) {
  constexpr std::array<std::string_view, 37> kWords{
      "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class",
      "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
      "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "pl", "raise", "return",
      "self", "try", "while", "with", "yield"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace tilewright::ir
