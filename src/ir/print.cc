#include "tilewright/ir/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "tilewright/base/text.h"
#include "tilewright/ir/accumulators.h"
#include "tilewright/ir/dialect.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::ir {
namespace {

std::string indent(int depth) { return std::string(static_cast<std::size_t>(depth) * 4, ' '); }

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
  // Prints `body`, or parts of it.
  Printer(const Program& program, const Block& body, const Dialect& dialect = {})
      : p_(program), dialect_(dialect), accumulators_(accumulators_of_tensors(body)) {}

  std::string header();
  void block(const Block& body, int depth);
  std::string take() { return std::move(out_); }
  void line(int depth, const std::string& text) { out_ += indent(depth) + text + "\n"; }

 private:
  std::string tensor_type(const Var& v) const;
  std::string scope_text(const Scope& s) const;
  std::string op_text(const Op& op) const;
  void statement(const Stmt& s, int depth);
  void declaration(const External& external);

  const Program& p_;
  Dialect dialect_;
  std::set<VarId> accumulators_;  // that the dialect makes with create_tensor
  std::string out_;
};

std::string Printer::tensor_type(const Var& v) const {
  if (v.scalar) return fmt::format("pl.Scalar[pl.{}]", dtype_name(v.dtype));
  const std::string layout =
      v.layout == Layout::ND ? "" : fmt::format(", pl.Layout.{}", layout_name(v.layout));
  return fmt::format("pl.Tensor[{}, pl.{}{}]", list_text(v.shape), dtype_name(v.dtype), layout);
}

std::string Printer::scope_text(const Scope& s) const {
  const bool named = !s.name.empty() && dialect_.names_scopes();
  const std::string hint = named ? "name_hint=" + string_literal(s.name) : "";
  if (s.kind == ScopeKind::Cluster) return fmt::format("with pl.cluster({}):", hint);
  std::vector<std::string> args{fmt::format("level=pl.Level.{}", level_name(s.level))};
  std::vector<std::string> optimizations;
  if (s.kind == ScopeKind::Auto) optimizations.emplace_back("pl.auto_chunk");
  if (s.split != Split::None)
    optimizations.push_back(fmt::format("pl.split(pl.SplitMode.{})", split_name(s.split)));
  if (!dialect_.lists_optimizations()) {
    if (s.kind == ScopeKind::Auto) args.emplace_back("optimization=pl.chunked_loop_optimizer");
  } else if (!optimizations.empty()) {
    args.push_back("optimizations=[" + join(optimizations, ", ") + "]");
  }
  if (!hint.empty()) args.push_back(hint);
  for (std::string& said : order_arguments(s.order, p_)) args.push_back(std::move(said));
  const std::string task = s.order.task.valid() ? " as " + p_[s.order.task].name : "";
  return fmt::format("with pl.at({}){}:", join(args, ", "), task);
}

std::string Printer::op_text(const Op& op) const {
  if (op.kind != OpKind::Create) return statement_text(op, p_, dialect_);
  Op made = op;
  if (accumulators_.contains(op.dst)) made.space.reset();
  return statement_text(made, p_) + (p_[op.dst].window ? "  # tilewright: window" : "");
}

void Printer::statement(const Stmt& s, int depth) {
  if (const auto* op = s.as<Op>()) {
    line(depth, op_text(*op));
  } else if (const auto* f = s.as<For>()) {
    if (f->order.manual) line(depth++, "with pl.manual_scope():");
    line(depth, statement_text(*f, p_, dialect_));
    block(f->body, depth + 1);
  } else if (const auto* w = s.as<While>()) {
    line(depth, fmt::format("while {}:", condition_text(w->condition, p_)));
    block(w->body, depth + 1);
  } else if (const auto* branch = s.as<If>()) {
    line(depth, fmt::format("if {}:", condition_text(branch->condition, p_)));
    block(branch->then_body, depth + 1);
    if (!branch->else_body.empty()) {
      line(depth, "else:");
      block(branch->else_body, depth + 1);
    }
  } else if (const auto* scope = s.as<Scope>()) {
    if (scope->kernel.valid()) {
      line(depth, fmt::format("kernel {}: {}", scope->kernel.index(), scope->name));
    } else {
      if (scope->order.manual) line(depth++, "with pl.manual_scope():");
      line(depth, scope_text(*scope));
      block(scope->body, depth + 1);
    }
  } else if (const auto* let = s.as<Let>()) {
    line(depth, statement_text(*let, p_));
  } else if (const auto* read = s.as<Read>()) {
    line(depth, statement_text(*read, p_));
  } else if (const auto* compute = s.as<Compute>()) {
    line(depth, statement_text(*compute, p_));
  } else if (const auto* set = s.as<TaskSet>()) {
    line(depth, statement_text(*set, p_));
  } else if (const auto* signal = s.as<Signal>()) {
    line(depth, statement_text(*signal, p_));
  } else if (const auto* call = s.as<ExternalCall>()) {
    line(depth, statement_text(*call, p_));
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

// A kernel without a body here, as authors declare one.
void Printer::declaration(const External& external) {
  const std::string_view core = external.core == CoreKind::Cube     ? "aic"
                                : external.core == CoreKind::Vector ? "aiv"
                                                                    : "mixed";
  line(0, fmt::format("@pl.jit.extern(core_type=\"{}\")", core));
  line(0, fmt::format("def {}(", external.name));
  for (const External::Parameter& p : external.parameters) {
    std::string type =
        p.scalar ? fmt::format("pl.Scalar[pl.{}]", dtype_name(p.dtype)) : "pl.Tensor";
    if (p.direction != Direction::In)
      type = fmt::format("pl.{}[{}]", direction_name(p.direction), type);
    line(1, fmt::format("{}: {},", p.name, type));
  }
  line(0, "): ...");
  line(0, "");
  line(0, "");
}

std::string Printer::header() {
  line(0, fmt::format("# tilewright: program {}", p_.name));
  if (p_.rank.valid())
    line(0, fmt::format("# tilewright: ranks {} {}", p_.ranks, p_[p_.rank].name));
  line(0, "import pypto.language as pl");
  if (p_.rank.valid()) line(0, "import pypto.language.distributed as pld");
  line(0, "");
  line(0, "");
  for (const External& external : p_.externals) declaration(external);
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
    const std::string_view word = v.window ? "window" : role_name(param.role);
    const std::string role =
        param.role == Role::Activation ? "" : fmt::format("  # tilewright: {}", word);
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

std::string print(const Program& program, const Dialect& dialect) {
  Printer printer(program, program.body, dialect);
  const std::string result = printer.header();
  if (!program.body.empty()) printer.block(program.body, 2);
  printer.line(2, result);
  return printer.take();
}

std::string print(const Program& program) { return print(program, Dialect()); }

std::string kernel_text(const Plan& plan, KernelId id) {
  const Kernel& k = plan.kernel(id);
  std::vector<std::string> args;
  for (const KernelArg& a : k.args) args.push_back(arg_text(plan.program, a));
  for (VarId v : k.scalars) args.push_back("scalar " + plan.program[v].name);
  return fmt::format("kernel {} {} [{}{}{}]({})", id.index(), k.name, core_kind_name(k.core),
                     k.external.valid() ? ", external" : "",
                     k.split == Split::None ? "" : fmt::format(", split {}", split_name(k.split)),
                     join(args, ", "));
}

std::string print(const Plan& plan) {
  std::string out = print(plan.program);
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    const Kernel& k = plan.kernels[i];
    out += fmt::format("\n{}\n", kernel_text(plan, KernelId(i)));
    Printer printer(plan.program, k.body);
    printer.block(k.body, 1);
    out += printer.take();
    for (const Crossing& c : k.crossings)
      out += fmt::format("    # crosses {}: {} -> {}, {} bytes{}\n",
                         c.cube_to_vector ? "cube to vector" : "vector to cube",
                         plan.program[c.from].name, plan.program[c.to].name, c.bytes,
                         c.through_gm ? ", through GM" : "");
    for (const TileBuffer& b : k.memory)
      out +=
          fmt::format("    # {}[{}:{}] {}{}{} live {}..{}\n", memory_space_name(b.space), b.address,
                      b.address + b.total(), plan.program[b.var].name, b.scratch ? " scratch" : "",
                      b.copies > 1 ? fmt::format(" x{}", b.copies) : "", b.first, b.last);
  }
  return out;
}

std::string print(const Plan& plan, const TaskGraph& graph, std::size_t limit) {
  std::string out =
      fmt::format("{} tasks, {} submissions, {} buffers, {} edges\n", graph.tasks.size(),
                  graph.submissions.size(), graph.buffers.size(), graph.edges.size());
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

bool is_reserved_word(std::string_view word) {
  constexpr std::array<std::string_view, 37> kWords{
      "False",   "None",     "True",     "and",    "as",   "assert", "async", "await",
      "break",   "class",    "continue", "def",    "del",  "elif",   "else",  "except",
      "finally", "for",      "from",     "global", "if",   "import", "in",    "is",
      "lambda",  "nonlocal", "not",      "or",     "pass", "pl",     "raise", "return",
      "self",    "try",      "while",    "with",   "yield"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace tilewright::ir
