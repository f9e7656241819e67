#include "tilewright/lsp/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::lsp {
namespace {

constexpr int kLongestChain = 64;  // of values whose valid extent is that of another value

std::string expr_words(const ir::Expr& e, const ir::Program& p) {
  return ir::text(e, [&](ir::VarId v) { return p[v].name; });
}

// Passes may rename and add variables, but the author's variables keep their ids.
bool is_same_variable(const ir::Program& a, const ir::Program& b, ir::VarId v) {
  return v.index() < a.vars.size() && v.index() < b.vars.size() && a[v].name == b[v].name;
}

const ir::TileBuffer* buffer_of(const ir::Kernel& k, ir::VarId v) {
  for (const ir::TileView& view : k.views)
    if (view.var == v) v = view.root;
  const auto it = std::ranges::find(k.memory, v, &ir::TileBuffer::var);
  return it == k.memory.end() ? nullptr : &*it;
}

std::string buffer_text(const ir::TileBuffer& b) {
  const std::string size = human_bytes(b.bytes);
  return fmt::format("{} at {:#x}, {}", memory_space_name(b.space), b.address,
                     b.copies > 1 ? fmt::format("{} copies of {}", b.copies, size) : size);
}

// For a loop variable its loop; for another integer its value or its expression.
std::string integer_markdown(const std::string& name, const ir::Expr& e, const ir::Program& p) {
  const bool variable =
      e.terms().size() == 1 && e.terms()[0].var.valid() && e == ir::Expr::var(e.terms()[0].var);
  if (!variable)
    return fmt::format("`{}` = `{}`: an integer{}", name, expr_words(e, p),
                       e.is_constant() ? "" : " known when the program runs");
  std::string loop;
  ir::for_each_stmt(p.body, [&](const ir::Stmt& s) {
    if (const auto* f = s.as<ir::For>(); f && f->var == e.terms()[0].var)
      loop = ir::statement_text(*f, p);
  });
  return fmt::format("`{}`: {}", name,
                     loop.empty() ? "an integer known when the program runs"
                                  : fmt::format("the variable of `{}`", loop));
}

std::string parameter_text(const ir::Program& p, ir::VarId v) {
  const ir::Param* param = p.param_of(v);
  if (!param) return "";
  std::string out = fmt::format("parameter, {}", ir::direction_name(param->direction));
  if (param->role != ir::Role::Activation) out += fmt::format(", {}", ir::role_name(param->role));
  return out;
}

}  // namespace

const ir::Op* maker_of(const ir::Program& program, ir::VarId var) {
  const ir::Op* found = nullptr;
  ir::for_each_op(program.body, [&](const ir::Op& op) {
    if (!found && op.dst == var && !ir::updates_in_place(op.kind)) found = &op;
  });
  return found;
}

std::string valid_text(const ir::Program& program, ir::VarId var) {
  for (int i = 0; i < kLongestChain; ++i) {
    const ir::Op* op = maker_of(program, var);
    if (!op) return "";
    if (!op->valid.empty()) {
      std::vector<std::string> parts;
      for (const ir::Expr& e : op->valid) parts.push_back(expr_words(e, program));
      return "[" + join(parts, ", ") + "]";
    }
    const ir::ValidRule rule = ir::op_info(op->kind).valid;
    const bool follows = rule == ir::ValidRule::AsFirst || rule == ir::ValidRule::Broadcast;
    if (!follows || op->args.empty()) return "";
    var = op->args[0];
  }
  return "";
}

std::string memory_text(const session::Session& s, ir::VarId var) {
  const ir::Program& p = s.program();
  if (p.param_of(var)) return "GM";
  const ir::Plan* plan = s.plan();
  if (!plan || !is_same_variable(p, plan->program, var)) return "";
  for (const ir::Kernel& k : plan->kernels)
    if (const ir::TileBuffer* b = buffer_of(k, var))
      return std::string(memory_space_name(b->space));
  for (const ir::Kernel& k : plan->kernels)
    for (const ir::KernelArg& a : k.args)
      if (a.var == var) return "GM";
  return "";
}

std::string value_markdown(const session::Session& s, const Sighting& sighting) {
  const ir::Program& p = s.program();
  if (const auto* words = std::get_if<std::string>(&sighting.meaning))
    return fmt::format("`{}`: {}", sighting.name, *words);
  if (const auto* e = std::get_if<ir::Expr>(&sighting.meaning))
    return integer_markdown(sighting.name, *e, p);
  const ir::VarId var = std::get<ir::VarId>(sighting.meaning);
  if (var.index() >= p.vars.size()) return "";
  const ir::Var& v = p[var];
  if (v.scalar) return fmt::format("`{}`: a scalar {}", sighting.name, dtype_name(v.dtype));
  std::string out =
      fmt::format("`{}`: **{}**, {}", sighting.name, ir::type_text(v), human_bytes(v.bytes()));
  if (const std::string role = parameter_text(p, var); !role.empty()) out += "\n\n" + role;
  if (const std::string valid = valid_text(p, var); !valid.empty())
    out += fmt::format("\n\nvalid: `{}`", valid);
  if (const ir::Plan* plan = s.plan(); plan && is_same_variable(p, plan->program, var)) {
    std::vector<std::string> places;
    for (const ir::Kernel& k : plan->kernels)
      if (const ir::TileBuffer* b = buffer_of(k, var))
        places.push_back(fmt::format("{} in scope {}", buffer_text(*b), k.name));
    if (places.empty() && memory_text(s, var) == "GM") places.emplace_back("GM");
    if (!places.empty()) out += "\n\nmemory: " + join(places, "; ");
  }
  if (sighting.varies) out += "\n\nAnother call of this function gives it another value.";
  return out;
}

std::string value_hint(const session::Session& s, const Sighting& sighting) {
  const auto* var = std::get_if<ir::VarId>(&sighting.meaning);
  if (!var || !sighting.bound || sighting.varies) return "";
  const ir::Program& p = s.program();
  if (var->index() >= p.vars.size() || p[*var].scalar || p.param_of(*var)) return "";
  const std::string memory = memory_text(s, *var);
  return ir::type_text(p[*var]) + (memory.empty() ? "" : " " + memory);
}

}  // namespace tilewright::lsp
