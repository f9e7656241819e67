// What a program does with its parameters, whatever their annotations say.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/lowering.h"
#include "tilewright/ir/walk.h"

namespace tilewright::frontend {
namespace {

// The arrays that a body writes, itself or through views that are made outside scopes.
class Written {
 public:
  explicit Written(const ir::Block& body) { visit(body, false); }

  bool contains(ir::VarId v) const { return written_.contains(v); }

 private:
  ir::VarId root(ir::VarId v) const {
    const auto it = views_.find(v);
    return it == views_.end() ? v : it->second;
  }

  void visit(const ir::Block& block, bool scope) {
    for (const ir::Stmt& s : block) {
      if (const auto* op = s.as<ir::Op>()) {
        const bool view = op->kind == ir::OpKind::Slice || op->kind == ir::OpKind::Reshape;
        if (view && !scope)
          views_[op->dst] = root(op->args[0]);
        else
          written_.insert(root(op->dst));
      }
      if (const auto* call = s.as<ir::ExternalCall>())
        for (const ir::ExternalCall::Array& a : call->arrays)
          if (a.writes()) written_.insert(root(a.var));
      const auto* loop = s.as<ir::For>();
      const bool inner = scope || s.as<ir::Scope>() || (loop && loop->kind == ir::LoopKind::Spmd);
      ir::for_each_body(s, [&](const ir::Block& b) { visit(b, inner); });
    }
  }

  std::map<ir::VarId, ir::VarId> views_;
  std::set<ir::VarId> written_;
};

}  // namespace

// Older programs write parameters that they declare as inputs, and some keep a place in their
// signature for an output that only a sister program has. The body decides.
void Lowering::fix_directions() {
  const Written written(program_.body);
  const std::set<ir::VarId> results = returned_parameters();
  const bool complete = !program_.diagnostics.has_errors();
  for (ir::Param& p : program_.params) {
    const ir::Var& v = program_[p.var];
    const At at{v.place.line, v.place.column};
    if (p.direction == ir::Direction::In && written.contains(p.var)) {
      p.direction = ir::Direction::InOut;
      p.role = ir::Role::State;
      report(
          at, "direction",
          fmt::format("parameter {} is written, so it is treated as InOut", v.name),
          "every parameter that a program writes is an output",
          fmt::format("declare it pl.InOut[...], or pl.Out[...] if every element of {} is written",
                      v.name),
          Severity::Note);
    } else if (p.direction == ir::Direction::Out && complete && !results.empty() &&
               !results.contains(p.var) && !written.contains(p.var)) {
      p.direction = ir::Direction::In;
      report(at, "direction",
             fmt::format("parameter {} is declared Out, but neither written nor returned", v.name),
             "a parameter that is neither written nor returned is not an output",
             "write it if it is a result, or declare it without pl.Out", Severity::Warning);
    }
  }
}

// The outputs that the return statement names.
std::set<ir::VarId> Lowering::returned_parameters() const {
  std::set<ir::VarId> out;
  for (const Value& v : frame().returned)
    if (const auto* t = v.as<Tensor>())
      if (const ir::Param* p = program_.param_of(root_of(t->var));
          p && p->direction != ir::Direction::In)
        out.insert(p->var);
  return out;
}

void Lowering::check_return(const Stmt& function) {
  if (!frame().has_returned) return;
  for (const Value& v : frame().returned) {
    const auto* t = v.as<Tensor>();
    const bool whole = t && element_count(program_[t->var].shape) ==
                                element_count(program_[root_of(t->var)].shape);
    if (whole && program_.param_of(root_of(t->var))) continue;
    if (!t && (v.as<None>() || v.as<Told>())) continue;
    report(function.at, "return",
           fmt::format("{} returns {}, which is not a parameter", function.name,
                       t ? program_[t->var].written_name() : kind_text(v)),
           "the results of a program are its Out and InOut parameters",
           "declare a parameter pl.Out[...] and assemble the value into it");
  }
}

}  // namespace tilewright::frontend
