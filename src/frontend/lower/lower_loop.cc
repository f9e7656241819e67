// Loops: the five kinds, names that they carry, and explicit loop state (init_values, yield_).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/arguments.h"

namespace tilewright::frontend {
namespace {

constexpr std::array kLoopKinds{ir::LoopKind::Range, ir::LoopKind::Parallel, ir::LoopKind::Unroll,
                                ir::LoopKind::Pipeline, ir::LoopKind::Spmd};

std::optional<ir::LoopKind> loop_named(std::string_view word) {
  for (ir::LoopKind k : kLoopKinds)
    if (ir::loop_kind_name(k) == word) return k;
  return std::nullopt;
}

// "; did you mean 'parallel'?" for pl.paralel.
std::string kind_meant_by(std::string_view path) {
  if (!path.starts_with("pl.")) return "";
  std::vector<std::string> names;
  for (ir::LoopKind k : kLoopKinds) names.emplace_back(ir::loop_kind_name(k));
  return did_you_mean(path.substr(3), names);
}

}  // namespace

// (stop), (start, stop) or (start, stop, step).
void Lowering::loop_bounds(ir::For& f, const Expr& call, Arguments& args) {
  for (const char* bound : {"start", "stop", "step"})
    for (const Keyword& k : call.keywords)
      if (k.name == bound)
        fail(k.at, "argument", fmt::format("{} with {}=", args.word(), bound),
             "a loop has (stop), (start, stop) or (start, stop, step)",
             "give its bounds by position");
  const std::size_t n = call.parts.size() - 1;
  if (n == 0 && args.has("core_num")) {  // pl.spmd(core_num=4)
    f.stop = args.integer("core_num");
    return;
  }
  if (n == 0 || n > 3)
    fail(call.at, "argument",
         fmt::format("{} with {}", args.word(), counted(static_cast<int64_t>(n), "bound")),
         "a loop has (stop), (start, stop) or (start, stop, step)", "give its bounds by position");
  const auto bound = [&](std::size_t i) {
    return integer_of(value_of(*call.parts[i]), call.parts[i]->at, "a loop bound");
  };
  f.start = n > 1 ? bound(1) : ir::Expr(0);
  f.stop = bound(n > 1 ? 2 : 1);
  if (n == 3)
    f.step = constant_of(value_of(*call.parts[3]), call.parts[3]->at, "the step of a loop");
}

ir::For Lowering::loop_head(const Stmt& s, ir::Scope& scope) {
  const Expr& call = *s.value;
  const std::string path = call.kind == ExprKind::Call ? dotted_path(*call.parts[0]) : "";
  const auto kind = path.starts_with("pl.") ? loop_named(path.substr(3)) : std::nullopt;
  if (!kind)
    fail(call.at, "loop",
         fmt::format("cannot loop over {}{}", path.empty() ? "this" : path, kind_meant_by(path)),
         "a program loops over pl.range, pl.parallel, pl.pipeline, pl.unroll or pl.spmd",
         path == "range" ? "use pl.range" : "use one of them");
  ir::For f;
  f.kind = *kind;
  f.place = place(s.at);
  Arguments args(*this, call, path, word_signature(path.substr(3)));
  loop_bounds(f, call, args);
  if (args.has("chunk")) {
    const Value chunk = args.value("chunk");
    if (!chunk.as<None>()) f.chunk = constant_of(chunk, args.at("chunk"), "chunk");
  }
  if (args.has("chunk_policy")) {
    const std::string policy = args.text("chunk_policy");
    if (policy != "guarded" && policy != "leading_full")
      fail(args.at("chunk_policy"), "argument", fmt::format("chunk_policy {}", quote(policy)),
           "chunk_policy is \"guarded\" or \"leading_full\"", "use one of them");
    if (policy == "leading_full") f.policy = ir::ChunkPolicy::LeadingFull;
  }
  if (*kind == ir::LoopKind::Pipeline)
    f.stages = static_cast<int>(std::clamp<int64_t>(args.constant("stage"), -1, 1024));
  if (*kind != ir::LoopKind::Spmd) return f;
  if (!(f.start == ir::Expr(0)) || f.step != 1)
    fail(call.at, "argument", "pl.spmd with a start or step", "spmd counts blocks from 0",
         "give the number of blocks only");
  if (args.has("name_hint")) f.name = args.text("name_hint");
  f.sync_start = args.flag("sync_start");
  for (const Keyword& k : call.keywords)
    if (k.name == "optimizations") read_optimizations(*k.value, scope);
  f.order = task_order(args);
  return f;
}

// Names that the loop carries, or leaves behind, keep one variable from here on.
void Lowering::carry(const Stmt& s) {
  if (in_.names_are_buffers) return;
  for (std::string_view n : frame().liveness->of(s).merged) {
    const bool state = std::ranges::any_of(s.targets, [&](const Expr* t) { return t->text == n; });
    if (!state) pin_current(n, s.at);
  }
}

void Lowering::require_unspent(const Stmt& s) {
  for (std::string_view n : frame().liveness->of(s).exposed) {
    if (std::ranges::any_of(s.targets, [&](const Expr* t) { return t->text == n; })) continue;
    const auto it = frame().names.find(n);
    if (it == frame().names.end() || it->second.taken_by.empty()) continue;
    fail(s.at, "stale-name",
         fmt::format("the next trip reads {}, whose buffer was written as {}", n,
                     it->second.taken_by),
         "after an update, the buffer can be read only under its new name",
         fmt::format("update {} under its own name", n));
  }
}

void Lowering::for_statement(const Stmt& s) {
  if (!s.other.empty()) unsupported(s.other[0]->at, "'else' of a loop", "put it after the loop");
  if (in_host() && rank_loop(s)) return;
  if (is_lane_loop(s)) return lane_loop(s);
  ir::Scope scope;
  ir::For f = loop_head(s, scope);
  const bool stateful = std::ranges::any_of(s.value->keywords, [](const Keyword& k) {
    return k.name == "init_values";
  });
  if (s.targets.size() > 1 && !stateful)
    fail(s.at, "loop", "loop state without init_values", "loop state starts from init_values",
         "give init_values=(...)");
  Kept kept = keep();
  std::vector<ir::VarId> state;
  if (stateful) state = begin_state(s);
  carry(s);
  f.var = scalar_var(s.targets[0]->text, DType::Index, s.targets[0]->at);
  frame().pinned.erase(s.targets[0]->text);
  bind(s.targets[0]->text, {ir::Expr::var(f.var)});
  hear(s.targets[0]->at, s.targets[0]->text, {ir::Expr::var(f.var)}, true);
  bound_loop(f);
  frame().yields.push_back(state);
  finish_loop(s, std::move(f), scope);
  frame().yields.pop_back();
  restore(std::move(kept));
}

// The values that a loop variable can have.
void Lowering::bound_loop(const ir::For& f) {
  const auto known = [&](ir::VarId v) { return range_of(v); };
  ir::Range low = ir::bounds(f.start, known);
  ir::Range high = ir::bounds(f.stop, known);
  if (f.step < 0) std::swap(low, high);
  ranges_[f.var] = {low.low, high.high ? std::optional(*high.high - (f.step > 0 ? 1 : 0))
                                       : std::nullopt};
}

// The body, and the loop around it. An spmd loop with barriers is several.
void Lowering::finish_loop(const Stmt& s, ir::For f, const ir::Scope& scope) {
  if (f.kind != ir::LoopKind::Spmd || scopes_ > 0) {
    finish_phase(s.body, std::move(f), scope);
    return require_unspent(s);
  }
  const std::vector<Body> phases = phases_of(s.body);
  const std::string name = f.name;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (i > 0) {
      pass_barrier(f);
      if (!name.empty()) f.name = fmt::format("{}_{}", name, i + 1);
    }
    finish_phase(phases[i], f, scope);
  }
  require_unspent(s);
}

// The blocks of an spmd loop are a scope.
void Lowering::finish_phase(const Body& statements, ir::For f, ir::Scope scope) {
  const bool spmd = f.kind == ir::LoopKind::Spmd;
  const std::string outer_name = scope_name_;
  open();
  if (spmd) {
    if (scopes_++ == 0) ++scope_number_;
    block_index_.push_back(ir::Expr::var(f.var));
    block_count_.push_back(f.stop);
    scope_name_ = f.name;
  }
  body(statements);
  if (spmd) {
    --scopes_;
    block_index_.pop_back();
    block_count_.pop_back();
    scope_name_ = outer_name;
  }
  f.body = close();
  // A split has its place on a scope, so the blocks become one.
  if (spmd && (scope.split != ir::Split::None || scope.kind != ir::ScopeKind::InCore)) {
    scope.name = f.name;
    scope.place = f.place;
    scope.body = std::move(f.body);
    f.body.clear();
    f.body.push_back({std::move(scope)});
  }
  append({std::move(f)});
}

void Lowering::while_statement(const Stmt& s) {
  if (!s.other.empty()) unsupported(s.other[0]->at, "'else' of a loop", "put it after the loop");
  Kept kept = keep();
  carry(s);
  ir::While w;
  w.place = place(s.at);
  w.condition = condition_of(value_of(*s.value), s.value->at);
  open();
  body(s.body);
  w.body = close();
  append({std::move(w)});
  require_unspent(s);
  restore(std::move(kept));
}

// A launch that is named has no loop variable; in a file of ours a comment says what it was called.
std::string_view Lowering::block_name(At at) const {
  constexpr std::string_view kMark = "block ";
  if (in_.directives)
    for (const Directive& d : *in_.directives)
      if (d.line == at.line && d.text.starts_with(kMark))
        return std::string_view(d.text).substr(kMark.size());
  return "block";
}

// `with pl.spmd(n): ... pl.tile.get_block_idx()`: the loop without a loop variable.
void Lowering::open_spmd(const Stmt& s, const Expr&) {
  ir::Scope scope;
  ir::For f = loop_head(s, scope);
  const std::string_view block = block_name(s.at);
  f.var = scalar_var(block, DType::Index, s.at);
  if (in_.names_are_buffers) bind(block, {ir::Expr::var(f.var)});
  name_task(f.order, s.name, s.at);
  finish_loop(s, std::move(f), scope);
}

// ---- loop state --------------------------------------------------------------------------------

std::vector<ir::VarId> Lowering::begin_state(const Stmt& s) {
  const Liveness::Block& names = frame().liveness->of(s);
  const Expr* list = nullptr;
  for (const Keyword& k : s.value->keywords)
    if (k.name == "init_values") list = k.value;
  const bool is_list = list->kind == ExprKind::Tuple || list->kind == ExprKind::List;
  const std::vector<const Expr*> parts = is_list ? list->parts : std::vector<const Expr*>{list};
  if (parts.size() + 1 != s.targets.size())
    fail(list->at, "loop",
         fmt::format("{} for {}", counted(static_cast<int64_t>(parts.size()), "initial value"),
                     counted(static_cast<int64_t>(s.targets.size()) - 1, "loop state")),
         "a loop with state has one initial value per state", "give as many values as names");
  std::vector<Value> values;
  for (const Expr* e : parts) values.push_back(value_of(*e));
  std::vector<ir::VarId> state;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Expr& target = *s.targets[i + 1];
    if (const auto* e = values[i].as<ir::Expr>()) {
      const ir::VarId var = scalar_var(target.text, DType::Index, target.at);
      append({ir::Let{var, *e, place(target.at)}});
      state.push_back(var);
      bind(target.text, {ir::Expr::var(var)});
      continue;
    }
    if (values[i].as<TaskHandle>()) {
      const Value own = copy_task(target.text, values[i], target.at);
      state.push_back(own.as<TaskHandle>()->ref.var);
      bind(target.text, own);
      continue;
    }
    ir::VarId var = tensor_of(values[i], parts[i]->at, "an initial value");
    // The state takes over the buffer of its initial value unless somebody still needs that.
    const bool needed = parts[i]->kind == ExprKind::Name &&
                        (std::ranges::binary_search(names.read_later, parts[i]->text) ||
                         std::ranges::binary_search(names.exposed, parts[i]->text));
    const bool shared = std::ranges::find(state, var) != state.end();
    if (is_tile(var) && (needed || shared)) {
      const ir::ArrayType type{program_[var].dtype, program_[var].shape};
      const ir::VarId own = target_var(target.text, target.text, type, target.at);
      copy(own, var, target.at, false);
      var = own;
    }
    state.push_back(var);
    bind(target.text, {Tensor{var}});
  }
  for (std::size_t i = 0; i < state.size(); ++i) frame().pinned[s.targets[i + 1]->text] = state[i];
  return state;
}

void Lowering::yield(const Stmt& s) {
  if (!frame().yields.empty() && !frame().yields.back()) return yield_of_branch(s);
  if (frame().yields.empty() || frame().yields.back()->empty())
    fail(s.at, "loop", "pl.yield_ outside a loop with init_values, and outside a branch",
         "yield_ hands loop state to the next trip, or a value out of an if",
         "give the loop init_values");
  const std::vector<ir::VarId> state = *frame().yields.back();
  const Expr& call = *s.value;
  if (call.parts.size() - 1 != state.size() || s.targets.size() != state.size())
    fail(s.at, "loop",
         fmt::format("pl.yield_ of {} to {} for {}",
                     counted(static_cast<int64_t>(call.parts.size()) - 1, "value"),
                     counted(static_cast<int64_t>(s.targets.size()), "name"),
                     counted(static_cast<int64_t>(state.size()), "loop state")),
         "yield_ has one value and one name per loop state", "give as many as the loop has");
  std::vector<Value> values;
  for (std::size_t i = 0; i < state.size(); ++i) values.push_back(value_of(*call.parts[i + 1]));
  for (std::size_t i = 0; i < state.size(); ++i) {
    // A value that is an earlier state would be overwritten before it is handed on.
    const auto* t = values[i].as<Tensor>();
    if (t && std::find(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(i), t->var) !=
                 state.begin() + static_cast<std::ptrdiff_t>(i))
      unsupported(call.parts[i + 1]->at, "exchanging loop states",
                  "keep each state under its own position");
    if (program_[state[i]].task) {
      yield_task(state[i], values[i], s.at);
      bind(s.targets[i]->text, {TaskHandle{{state[i]}}});
      continue;
    }
    if (program_[state[i]].scalar) {
      append({ir::Let{state[i], integer_of(values[i], call.at, "a loop state"), place(s.at)}});
      bind(s.targets[i]->text, {ir::Expr::var(state[i])});
      continue;
    }
    const ir::VarId var = tensor_of(values[i], call.parts[i + 1]->at, "a loop state");
    if (var != state[i])
      copy(state[i], var, call.parts[i + 1]->at, is_spent(s, *call.parts[i + 1]));
    bind(s.targets[i]->text, {Tensor{state[i]}});
  }
}

// `x = pl.yield_(y)` at the end of both sides of an if: x is what the side that ran says.
void Lowering::yield_of_branch(const Stmt& s) {
  const Expr& call = *s.value;
  if (call.parts.size() - 1 != s.targets.size())
    fail(s.at, "loop",
         fmt::format("pl.yield_ of {} to {}",
                     counted(static_cast<int64_t>(call.parts.size()) - 1, "value"),
                     counted(static_cast<int64_t>(s.targets.size()), "name")),
         "yield_ has one value per name", "give as many values as names");
  std::vector<Value> values;
  for (std::size_t i = 0; i < s.targets.size(); ++i) values.push_back(value_of(*call.parts[i + 1]));
  for (std::size_t i = 0; i < s.targets.size(); ++i) {
    const Expr& value = *call.parts[i + 1];
    const Origin origin = value.kind != ExprKind::Name ? Origin::Made
                          : is_spent(s, value)         ? Origin::HandedOver
                                                       : Origin::Copied;
    assign(*s.targets[i], std::move(values[i]), origin);
  }
}

}  // namespace tilewright::frontend
