// One statement as one line of the dialect.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tilewright/base/check.h"
#include "tilewright/base/text.h"
#include "tilewright/ir/dialect.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/program.h"

namespace tilewright::ir {
namespace {

std::string number_text(double v, bool integral) {
  if (std::isinf(v)) return v > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  if (integral && v == std::trunc(v) && std::fabs(v) < 1e15)
    return fmt::format("{}", static_cast<int64_t>(v));
  std::string s = fmt::format("{}", v);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

std::string space_arg(MemorySpace s) {
  return fmt::format("target_memory=pl.MemorySpace.{}", memory_space_name(s));
}

std::string_view mask_name(MaskPattern m) { return m == MaskPattern::P0101 ? "P0101" : "P1010"; }

std::string pad_arg(Pad p) { return fmt::format("pad_value=pl.PadValue.{}", pad_name(p)); }

class Writer {
 public:
  Writer(const Program& program, Names names, const Dialect& dialect = {})
      : p_(program), names_(names), dialect_(dialect) {}

  std::string text(const Op& op) const;
  std::string text(const For& f) const;
  std::string text(const Compute& c) const;
  std::string text(const TaskRef& ref) const;
  std::string text(const TaskSet& set) const;
  std::string text(const ExternalCall& call) const;
  std::string tasks(const std::vector<TaskRef>& refs) const;
  std::vector<std::string> order(const TaskOrder& order) const;  // as arguments of a scope
  std::string name(VarId v) const {
    return names_ == Names::Unique ? p_[v].name : p_[v].written_name();
  }
  // "y = ", unless the author gave the result no name.
  std::string assigned(VarId v) const {
    return names_ == Names::Written && p_[v].is_unnamed() ? "" : name(v) + " = ";
  }
  std::string expr(const Expr& e) const {
    return ir::text(e, [this](VarId v) { return name(v); });
  }
  std::string cond(const Cond& c) const {
    return ir::text(c, [this](VarId v) { return name(v); });
  }
  std::string exprs(const std::vector<Expr>& list) const {
    std::vector<std::string> parts;
    for (const Expr& e : list) parts.push_back(expr(e));
    return "[" + join(parts, ", ") + "]";
  }

 private:
  const Var& dst(const Op& op) const { return p_[op.dst]; }
  std::string shape_of(const Op& op) const { return list_text(dst(op).shape); }
  std::string dtype_of(const Op& op) const {
    return fmt::format("pl.{}", dtype_name(dst(op).dtype));
  }
  std::string scalar(const ScalarOperand& s) const;
  std::string call(const Op& op, const std::vector<std::string>& args) const {
    return fmt::format("{}pl.{}({})", assigned(op.dst), op_name(op.kind), join(args, ", "));
  }
  std::string create(const Op& op) const;
  std::string full(const Op& op) const;
  std::string slice(const Op& op) const;
  std::string load(const Op& op) const;
  std::string insert(const Op& op, std::vector<std::string> args) const;
  std::string set_valid(const Op& op) const;
  std::string cast(const Op& op) const;
  std::string matmul(const Op& op) const;
  std::string plain(const Op& op) const;

  const Program& p_;
  Names names_;
  Dialect dialect_;
};

std::string Writer::scalar(const ScalarOperand& s) const {
  switch (s.kind) {
    case ScalarOperand::Kind::Literal: return number_text(s.literal, s.integral);
    case ScalarOperand::Kind::Variable: return name(s.variable);
    case ScalarOperand::Kind::Index: return expr(s.index);
  }
  return "";
}

std::string Writer::create(const Op& op) const {
  const std::string args =
      fmt::format("{}, dtype={}{}{}", shape_of(op), dtype_of(op),
                  op.scalar ? fmt::format(", init_value={}", scalar(*op.scalar)) : "",
                  dst(op).untracked ? ", manual_dep=True" : "");
  const auto placed = dst(op).space;  // by the plan, which a message does not quote
  const bool shown = names_ == Names::Unique && placed && *placed != MemorySpace::GM;
  const auto space = shown ? placed : op.space;
  return space ? fmt::format("{}pl.create_tile({}, {})", assigned(op.dst), args, space_arg(*space))
               : fmt::format("{}pl.create_tensor({})", assigned(op.dst), args);
}

// The original lays a filled column out by rows, and sums and maxima of rows by columns; an operation
// on both pairs the wrong elements. A filled row that is turned into a column lies like them.
std::string Writer::full(const Op& op) const {
  const Shape& shape = dst(op).shape;
  const std::string filling =
      fmt::format("dtype={}, value={}", dtype_of(op), scalar(*op.scalar));
  const bool column = shape.size() == 2 && shape[0] > 1 && shape[1] == 1;
  if (!column || names_ == Names::Written) return call(op, {shape_of(op), filling});
  return fmt::format("{}pl.reshape(pl.full({}, {}), {})", assigned(op.dst),
                     list_text({1, shape[0]}), filling, list_text(shape));
}

std::string Writer::slice(const Op& op) const {
  std::vector<std::string> args{name(op.args[0]), shape_of(op), exprs(op.offset)};
  if (!op.valid.empty()) args.push_back("valid_shape=" + exprs(op.valid));
  if (op.pad != Pad::Null) args.push_back(pad_arg(op.pad));
  return call(op, args);
}

// The dialect gives the window in GM, the program the tile.
std::string Writer::load(const Op& op) const {
  Shape shape = dst(op).shape;
  std::vector<Expr> valid = op.valid;
  if (op.transpose) {
    std::ranges::reverse(shape);
    std::ranges::reverse(valid);
  }
  std::vector<std::string> args{name(op.args[0]), exprs(op.offset), list_text(shape)};
  args.push_back(space_arg(op.space.value_or(MemorySpace::Vec)));
  if (!valid.empty())
    args.push_back((dialect_.has_one_word_for_valid() ? "valid_shape=" : "valid_shapes=") +
                   exprs(valid));
  if (op.transpose) args.emplace_back("transpose=True");
  return call(op, args);
}

std::string Writer::insert(const Op& op, std::vector<std::string> args) const {
  if (op.atomic_add) args.emplace_back("atomic=pl.AtomicType.Add");
  return call(op, args);
}

std::string Writer::set_valid(const Op& op) const {
  std::vector<std::string> args{name(op.args[0])};
  for (const Expr& e : op.valid) args.push_back(expr(e));
  return call(op, args);
}

std::string Writer::cast(const Op& op) const {
  std::vector<std::string> args{name(op.args[0]), "target_type=" + dtype_of(op)};
  if (op.cast_mode != CastMode::Rint)
    args.push_back(fmt::format("mode=\"{}\"", cast_mode_name(op.cast_mode)));
  return call(op, args);
}

std::string Writer::matmul(const Op& op) const {
  std::vector<std::string> args;
  if (op.kind == OpKind::MatmulAcc) args.push_back(name(op.dst));
  for (VarId v : op.args) args.push_back(name(v));
  if (op.kind != OpKind::MatmulAcc) args.push_back("out_dtype=" + dtype_of(op));
  if (op.a_trans) args.emplace_back("a_trans=True");
  if (op.b_trans) args.emplace_back("b_trans=True");
  return call(op, args);
}

// Operands, then a scalar, then the few keywords.
std::string Writer::plain(const Op& op) const {
  std::vector<std::string> args;
  for (VarId v : op.args) args.push_back(name(v));
  if (op.scalar) args.push_back(scalar(*op.scalar));
  if (op.kind == OpKind::Cmp)
    args.push_back(fmt::format("cmp_type={}", static_cast<int>(op.compare)));
  if (op.high_precision) args.emplace_back("high_precision=True");
  return call(op, args);
}

std::string Writer::text(const Op& op) const {
  const auto arg = [&](std::size_t i) { return name(op.args[i]); };
  switch (op.kind) {
    case OpKind::Create: return create(op);
    case OpKind::Full: return full(op);
    case OpKind::Slice: return slice(op);
    case OpKind::Load: return load(op);
    case OpKind::Assemble: return insert(op, {name(op.dst), arg(0), exprs(op.offset)});
    case OpKind::Store: return insert(op, {arg(0), exprs(op.offset), name(op.dst)});
    case OpKind::Move: return call(op, {arg(0), space_arg(op.space.value_or(MemorySpace::Vec))});
    case OpKind::Copy: return fmt::format("{} = {}", name(op.dst), arg(0));
    case OpKind::Reshape: return call(op, {arg(0), shape_of(op)});
    case OpKind::Transpose: return call(op, {arg(0), "0", "1"});
    case OpKind::FillPad: return call(op, {arg(0), pad_arg(op.pad)});
    case OpKind::SetValid: return set_valid(op);
    case OpKind::Cast: return cast(op);
    case OpKind::Matmul:
    case OpKind::MatmulAcc:
    case OpKind::MatmulBias:
    case OpKind::Gemv: return matmul(op);
    case OpKind::Arange:
      return call(op, {scalar(*op.scalar), shape_of(op), "dtype=" + dtype_of(op)});
    case OpKind::MergeSort:
      if (op.args.size() > 1) return plain(op);
      return call(op, {arg(0), fmt::format("block_len={}", op.block_length)});
    case OpKind::GatherMask:
      return fmt::format("{}pl.gather({}, mask_pattern=pl.tile.MaskPattern.{}, output_dtype={})",
                         assigned(op.dst), arg(0), mask_name(op.mask), dtype_of(op));
    case OpKind::Gather:
      return fmt::format("{}pl.gather({}, dim=-1, index={})", assigned(op.dst), arg(0), arg(1));
    case OpKind::ScatterMask:
      return fmt::format("{}pl.scatter({}, mask_pattern=pl.tile.MaskPattern.{}, dst={})",
                         assigned(op.dst), arg(0), mask_name(op.mask), arg(1));
    case OpKind::Concat:
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::Fmod:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Cmp:
    case OpKind::Neg:
    case OpKind::Abs:
    case OpKind::Exp:
    case OpKind::Log:
    case OpKind::Sqrt:
    case OpKind::Recip:
    case OpKind::Rsqrt:
    case OpKind::RowExpand:
    case OpKind::RowExpandAdd:
    case OpKind::RowExpandSub:
    case OpKind::RowExpandMul:
    case OpKind::RowExpandDiv:
    case OpKind::ColExpand:
    case OpKind::ColExpandAdd:
    case OpKind::ColExpandSub:
    case OpKind::ColExpandMul:
    case OpKind::ColExpandDiv:
    case OpKind::RowSum:
    case OpKind::RowMax:
    case OpKind::RowMin:
    case OpKind::RowArgMax:
    case OpKind::RowArgMin:
    case OpKind::ColSum:
    case OpKind::ColMax:
    case OpKind::ColMin:
    case OpKind::Sort32: return plain(op);
  }
  bug("the text of an op");
}

std::string Writer::text(const Compute& c) const {
  const std::string_view math = scalar_math_text(c.math);
  // An expression beside an operator is a sum, which binds less.
  const auto operand = [&](const ScalarOperand& o) {
    const bool sum = o.kind == ScalarOperand::Kind::Index && !o.index.is_constant();
    return sum ? "(" + scalar(o) + ")" : scalar(o);
  };
  if (!takes_two(c.math))
    return fmt::format("{} = {}({}, pl.{})", name(c.var), math, scalar(c.a),
                       dtype_name(p_[c.var].dtype));
  if (math.starts_with("pl."))
    return fmt::format("{} = {}({}, {})", name(c.var), math, scalar(c.a), scalar(c.b));
  return fmt::format("{} = {} {} {}", name(c.var), operand(c.a), math, operand(c.b));
}

std::string Writer::tasks(const std::vector<TaskRef>& refs) const {
  std::vector<std::string> texts;
  for (const TaskRef& ref : refs) texts.push_back(text(ref));
  return "[" + join(texts, ", ") + "]";
}

std::string Writer::text(const TaskRef& ref) const {
  return ref.index ? fmt::format("{}[{}]", name(ref.var), expr(*ref.index)) : name(ref.var);
}

std::string Writer::text(const TaskSet& set) const {
  const Var& target = p_[set.target.var];
  if (copies_array(set, p_))
    return fmt::format("{} = {}", name(set.target.var), text(set.tasks[0]));
  if (!target.shape.empty() && !set.target.index)
    return fmt::format("{} = pl.array.create({}, pl.TASK_ID)", name(set.target.var),
                       target.shape[0]);
  if (set.target.index && set.tasks.size() < 2)
    return fmt::format("{} = {}", text(set.target),
                       set.tasks.empty() ? "None" : text(set.tasks[0]));
  return fmt::format("{} = pl.system.task_dummy(deps={})", text(set.target), tasks(set.tasks));
}

std::vector<std::string> Writer::order(const TaskOrder& order) const {
  std::vector<std::string> args;
  if (!order.deps.empty()) args.push_back("deps=" + tasks(order.deps));
  std::vector<std::string> left_out;
  for (VarId v : order.untracked) left_out.push_back(name(v));
  if (!left_out.empty()) args.push_back("no_dep_args=[" + join(left_out, ", ") + "]");
  if (order.early) args.emplace_back("allow_early_resolve=True");
  return args;
}

std::string Writer::text(const For& f) const {
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
  const bool plain = f.kind == LoopKind::Pipeline && !dialect_.has_pipelines();  // as to its values
  if (f.kind == LoopKind::Pipeline && !plain) args.push_back(fmt::format("stage={}", f.stages));
  if (f.sync_start) args.emplace_back("sync_start=True");
  if (!f.name.empty() && dialect_.names_scopes())
    args.push_back("name_hint=" + string_literal(f.name));
  for (std::string& said : order(f.order)) args.push_back(std::move(said));
  if (f.order.task.valid())
    return fmt::format("with pl.{}({}) as {}:  # tilewright: block {}", loop_kind_name(f.kind),
                       join(args, ", "), name(f.order.task), name(f.var));
  return fmt::format("for {} in pl.{}({}):", name(f.var),
                     loop_kind_name(plain ? LoopKind::Range : f.kind), join(args, ", "));
}

}  // namespace

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string Writer::text(const ExternalCall& call) const {
  const External& kernel = p_.external(call.kernel);
  std::vector<std::string> args;
  auto array = call.arrays.begin();
  auto number = call.scalars.begin();
  for (const External::Parameter& p : kernel.parameters)
    args.push_back(p.scalar ? scalar(*number++) : name((array++)->var));
  return fmt::format("{}({})", kernel.name, join(args, ", "));
}

std::string statement_text(const ExternalCall& call, const Program& program, Names names) {
  return Writer(program, names).text(call);
}

std::string statement_text(const Op& op, const Program& program, Names names) {
  return Writer(program, names).text(op);
}

std::string statement_text(const Op& op, const Program& program, const Dialect& dialect) {
  return Writer(program, Names::Unique, dialect).text(op);
}

std::string statement_text(const Read& read, const Program& program, Names names) {
  const Writer w(program, names);
  return fmt::format("{}pl.tensor.read({}, {})", w.assigned(read.var), w.name(read.array),
                     w.exprs(read.index));
}

std::string statement_text(const For& loop, const Program& program, Names names) {
  return Writer(program, names).text(loop);
}

std::string statement_text(const For& loop, const Program& program, const Dialect& dialect) {
  return Writer(program, Names::Unique, dialect).text(loop);
}

std::string statement_text(const TaskSet& set, const Program& program, Names names) {
  return Writer(program, names).text(set);
}

std::string statement_text(const Signal& signal, const Program& program, Names names) {
  const Writer w(program, names);
  const std::vector<Expr> offsets(signal.cell.begin() + 1, signal.cell.end());
  if (signal.kind == Signal::Kind::Wait)
    return fmt::format("pld.system.wait({}, {}, {}, cmp=pld.WaitCmp.{})", w.name(signal.window),
                       w.exprs(offsets), w.expr(signal.value),
                       signal.compare == Compare::Eq ? "Eq" : "Ge");
  return fmt::format("pld.system.notify({}, {}, {}, {}, op=pld.NotifyOp.{})", w.name(signal.window),
                     w.expr(signal.cell[0]), w.exprs(offsets), w.expr(signal.value),
                     signal.replaces ? "Set" : "AtomicAdd");
}

std::vector<std::string> order_arguments(const TaskOrder& order, const Program& program) {
  return Writer(program, Names::Unique).order(order);
}

std::string statement_text(const Let& let, const Program& program, Names names) {
  const Writer w(program, names);
  return fmt::format("{} = {}", w.name(let.var), w.expr(let.value));
}

std::string statement_text(const Compute& compute, const Program& program, Names names) {
  return Writer(program, names).text(compute);
}

std::string condition_text(const Cond& condition, const Program& program) {
  return Writer(program, Names::Unique).cond(condition);
}

}  // namespace tilewright::ir
