#include "tilewright/frontend/borrowed_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/frontend/evaluate/evaluator.h"
#include "tilewright/frontend/evaluate/functions.h"
#include "tilewright/ir/walk.h"

namespace tilewright::frontend {
namespace {

// What the loops that certainly run reach of some tensors, and which loops must be how much shorter
// to stay inside.
class Reach {
 public:
  Reach(const ir::Program& program, std::set<ir::VarId> tensors)
      : p_(program), tensors_(std::move(tensors)) {
    std::set<ir::VarId> written;
    ir::for_each_stmt(p_.body, [&](const ir::Stmt& s) {
      if (const ir::VarId v = ir::scalar_defined(s); v.valid() && !written.insert(v).second)
        changing_.insert(v);
    });
    block(p_.body);
  }

  std::map<ir::VarId, Shape> needed;  // of the tensors that are too small
  std::size_t outside = 0;            // accesses that leave their tensor
  struct Shorter {
    const ir::For* loop = nullptr;
    std::size_t helps = 0;  // so many of them
    int64_t trips = 0;
  };
  std::map<ir::VarId, Shorter> shorter;  // by loop variable

 private:
  void block(const ir::Block& b) {
    for (const ir::Stmt& s : b) try {
        statement(s);
      } catch (const UserError&) {  // does not fit in 64 bits; told where bounds are checked
      }
  }

  void statement(const ir::Stmt& s) {
    if (const auto* op = s.as<ir::Op>()) operation(*op);
    if (const auto* let = s.as<ir::Let>(); let && !changing_.contains(let->var))
      values_.emplace(let->var, let->value.substituted(value_of_));
    if (const auto* scope = s.as<ir::Scope>()) block(scope->body);
    if (const auto* f = s.as<ir::For>()) loop(*f);
  }

  void loop(const ir::For& f) {
    bool leaves = changing_.contains(f.var);
    ir::for_each_stmt(f.body, [&](const ir::Stmt& s) { leaves = leaves || s.as<ir::Break>(); });
    if (leaves || f.step <= 0) return;
    if (!f.start.is_constant() || !f.stop.is_constant()) {
      const ir::Range start = range_of(f.start), stop = range_of(f.stop);
      if (start.high && stop.low && *start.high < *stop.low) block(f.body);  // at least one trip
      return;
    }
    const int64_t first = f.start.constant();
    if (first < 0 || first >= f.stop.constant()) return;
    const int64_t trips = (f.stop.constant() - first - 1) / f.step;
    loops_[f.var] = {&f, {first, first + trips * f.step}};
    block(f.body);
  }

  void operation(const ir::Op& op) {
    const bool reads = op.kind == ir::OpKind::Slice || op.kind == ir::OpKind::Load;
    const bool writes = op.kind == ir::OpKind::Assemble || op.kind == ir::OpKind::Store;
    if (!reads && !writes) return;
    const ir::VarId array = reads ? op.args[0] : op.dst;
    if (!tensors_.contains(array)) return;
    // A tile may be valid in part, so that of some only the first element is certain.
    Shape extent = p_[reads ? op.dst : op.args[0]].shape;
    Shape certain = reads ? extent : Shape(extent.size(), 1);
    for (std::size_t i = 0; reads && i < op.valid.size(); ++i)
      certain[i] = op.valid[i].is_constant() ? op.valid[i].constant() : 1;
    if (op.transpose) {
      std::swap(extent[0], extent[1]);
      std::swap(certain[0], certain[1]);
    }
    const std::size_t dropped = p_[array].shape.size() - extent.size();
    for (std::size_t i = 0; i < p_[array].shape.size(); ++i)
      if (i < dropped)
        reaches(array, i, op.offset[i] + ir::Expr(1), 0);
      else
        reaches(array, i, op.offset[i] + ir::Expr(certain[i - dropped]),
                extent[i - dropped] - certain[i - dropped]);
  }

  ir::Range range_of(const ir::Expr& e) const {
    return ir::bounds(e.substituted(value_of_), [&](ir::VarId v) {
      const auto it = loops_.find(v);
      return it != loops_.end() ? it->second.range : ir::Range{};
    });
  }

  // Elements before `end` of one dimension, and perhaps `more`.
  void reaches(ir::VarId array, std::size_t dimension, const ir::Expr& written, int64_t more) {
    const ir::Expr end = written.substituted(value_of_);
    const bool known = std::ranges::all_of(
        end.terms(), [&](const ir::Term& t) { return t.var.valid() && loops_.contains(t.var); });
    const ir::Range range = range_of(end);
    const int64_t size = p_[array].shape[dimension];
    if (!known || !range.high || *range.high <= size) return;
    Shape& shape = needed.try_emplace(array, p_[array].shape).first->second;
    shape[dimension] = std::max(shape[dimension], (ir::Expr(*range.high) + ir::Expr(more)).constant());
    ++outside;
    for (const ir::Term& t : end.terms()) shorten(*loops_.at(t.var).loop, t, *range.high - size);
  }

  void shorten(const ir::For& f, const ir::Term& term, int64_t excess) {
    if (term.coefficient <= 0 || f.step != 1 || !(f.start == ir::Expr(0))) return;
    const int64_t trips = f.stop.constant() - (1 + (excess - 1) / term.coefficient);
    if (trips < 1) return;
    Shorter& s = shorter.try_emplace(f.var, Shorter{&f, 0, trips}).first->second;
    ++s.helps;
    s.trips = std::min(s.trips, trips);
  }

  struct Loop {
    const ir::For* loop = nullptr;
    ir::Range range;
  };
  const ir::Program& p_;
  std::set<ir::VarId> tensors_, changing_;
  std::map<ir::VarId, Loop> loops_;
  std::map<ir::VarId, ir::Expr> values_;
  const std::function<std::optional<ir::Expr>(ir::VarId)> value_of_ = [this](ir::VarId v) {
    const auto it = values_.find(v);
    return it == values_.end() ? std::nullopt : std::optional(it->second);
  };
};

// x: pl.Tensor, pl.Out[pl.Tensor] and the like.
bool is_bare(const Expr* annotation) {
  while (annotation && annotation->kind == ExprKind::Subscript && annotation->parts.size() == 2)
    annotation = annotation->parts[1];
  return annotation && dotted_path(*annotation) == "pl.Tensor";
}

std::set<ir::VarId> borrowed(const Stmt& function, const Specs& specs,
                             const std::map<std::string, std::string>& chosen,
                             const ir::Program& program) {
  std::set<ir::VarId> out;
  for (const Parameter& p : function.parameters) {
    const std::string name(p.name);
    const auto spec = std::ranges::find(specs.list, name, &TensorSpec::name);
    const auto var = program.find(name);
    if (is_bare(p.annotation) && spec != specs.list.end() && var && !chosen.contains(name) &&
        program[*var].shape == spec->shape)
      out.insert(*var);
  }
  return out;
}

// `for i in pl.range(N)` at this place of the program: N, if it is a constant of the file, which
// the user can choose.
std::string chosen_bound(const Body& body, const Source& source, const World& world,
                         const Place& place) {
  for (const Stmt* s : body) {
    if (s->kind == StmtKind::For && source.place(s->at) == place) {
      const Expr* bound = s->value->parts.size() == 2 ? s->value->parts[1] : nullptr;
      if (!bound || bound->kind != ExprKind::Name) return "";
      const bool global = std::ranges::any_of(world.modules(), [&](const ModuleInfo& m) {
        return m.names.values.contains(bound->text);
      });
      return global ? std::string(bound->text) : "";
    }
    for (const Body* inner : {&s->body, &s->other})
      if (std::string found = chosen_bound(*inner, source, world, place); !found.empty())
        return found;
  }
  return "";
}

}  // namespace

void require_large_enough(const Parsed& main, const Found& found, const Specs& specs,
                          const World& world, const std::map<std::string, std::string>& chosen,
                          ir::Program& program) {
  const Stmt* function = entry_function(*found.program);
  if (specs.of.empty() || !function || program.diagnostics.has_errors()) return;
  const Reach reach(program, borrowed(*function, specs, chosen, program));
  if (reach.needed.empty()) return;
  std::vector<std::string> names, flags;
  for (const auto& [var, shorter] : reach.shorter)
    if (const std::string name =
            chosen_bound(function->body, main.source(), world, shorter.loop->place);
        shorter.helps == reach.outside && !name.empty())
      flags.push_back(fmt::format("--arg {}={}, or", name, shorter.trips));
  for (const auto& [var, shape] : reach.needed) {
    const ir::Var& v = program[var];
    names.push_back(v.name);
    flags.push_back(
        fmt::format("--arg {}={}[{}]", v.name, dtype_name(v.dtype), fmt::join(shape, ",")));
  }
  const Place place = main.source().place(found.program->at);
  program.diagnostics.add(
      {Severity::Error, "dynamic",
       fmt::format("the sizes of {} are too small for {} of {}: {}", specs.of,
                   counted(static_cast<int64_t>(names.size()), "parameter"), program.name,
                   join(names, ", ")),
       fmt::format("at {}, program {}", place.text(), program.name),
       fmt::format("the file starts {}, not this program, and so says no sizes for it", specs.of),
       fmt::format("give {}", join(flags, " ")), place.excerpt()});
}

}  // namespace tilewright::frontend
