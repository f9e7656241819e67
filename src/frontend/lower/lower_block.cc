// Scopes and branches.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/arguments.h"
#include "tilewright/ir/bindings.h"

namespace tilewright::frontend {
namespace {

std::optional<ir::Level> level_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ir::Level::Global); ++i)
    if (ir::level_name(static_cast<ir::Level>(i)) == name) return static_cast<ir::Level>(i);
  return std::nullopt;
}

bool is_known(const Value& v) {
  return v.as<bool>() || v.integer() || v.as<double>() || v.as<None>() || v.as<std::string>();
}

bool same_value(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  if (const auto* t = a.as<Tensor>()) return t->var == b.as<Tensor>()->var;
  if (const auto* f = a.as<FloatScalar>()) return f->var == b.as<FloatScalar>()->var;
  if (const auto* e = a.as<ir::Expr>()) return *e == *b.as<ir::Expr>();
  if (const auto* d = a.as<double>()) return *d == *b.as<double>();
  if (const auto* x = a.as<bool>()) return *x == *b.as<bool>();
  if (const auto* s = a.as<std::string>()) return *s == *b.as<std::string>();
  if (const auto* t = a.as<DType>()) return *t == *b.as<DType>();
  if (const auto* t = a.as<TaskHandle>())
    return t->ref.var == b.as<TaskHandle>()->ref.var &&
           t->ref.index == b.as<TaskHandle>()->ref.index;
  return a.as<None>() || a.as<Told>();
}

}  // namespace

// ---- scopes ------------------------------------------------------------------------------------

ir::Split Lowering::split_of(const Value& v, At at) const {
  for (ir::Split s : {ir::Split::None, ir::Split::UpDown, ir::Split::LeftRight})
    if (v.is_word(fmt::format("SplitMode.{}", ir::split_name(s)))) return s;
  fail(at, "argument", fmt::format("a split mode is {}", kind_text(v)),
       "a split is pl.SplitMode.NONE, UP_DOWN or LEFT_RIGHT", "use one of them");
}

// pl.auto_chunk, pl.split(mode), pl.chunked_loop_optimizer, alone or in a list.
void Lowering::read_optimizations(const Expr& value, ir::Scope& scope) {
  if (value.kind == ExprKind::List || value.kind == ExprKind::Tuple) {
    for (const Expr* e : value.parts) read_optimizations(*e, scope);
    return;
  }
  const bool is_call = value.kind == ExprKind::Call;
  const std::string word = dotted_path(is_call ? *value.parts[0] : value);
  if (word == "pl.auto_chunk" && !is_call) {
    scope.kind = ir::ScopeKind::Auto;
  } else if (word == "pl.chunked_loop_optimizer") {
    scope.kind = ir::ScopeKind::Auto;
    scope.split = ir::Split::UpDown;
    if (!is_call) return;
    Arguments args(*this, value, word, {"split"});
    if (args.has("split")) scope.split = split_of(args.value("split"), value.at);
  } else if (word == "pl.split" && is_call) {
    Arguments args(*this, value, word, {"mode"}, {"slot_num"});
    scope.split = split_of(args.value("mode"), value.at);
  } else if (word == "pl.cross_core_slot" && is_call) {
    // How many values may be on their way between cores: the machine's own number holds.
    Arguments args(*this, value, word, {"slot_num"});
    if (const int64_t slots = args.constant("slot_num"); slots < 1)
      fail(args.at("slot_num"), "argument", fmt::format("pl.cross_core_slot of {}", slots),
           "values need at least one slot to pass between cores", "use slot_num=2");
  } else {
    unsupported(value.at, word.empty() ? "this optimization" : word,
                "use pl.auto_chunk, pl.split, pl.cross_core_slot or pl.chunked_loop_optimizer");
  }
}

ir::Scope Lowering::scope_of(const Expr& call, const std::string& word) {
  ir::Scope scope;
  scope.place = place(call.at);
  if (word == "incore" || word == "auto_incore" || word == "cluster") {
    Arguments args(*this, call, "pl." + word, word_signature(word));
    if (word == "auto_incore") scope.kind = ir::ScopeKind::Auto;
    if (word == "cluster") scope.kind = ir::ScopeKind::Cluster;
    if (args.has("split")) scope.split = split_of(args.value("split"), args.at("split"));
    if (args.has("name_hint")) scope.name = args.text("name_hint");
    return scope;
  }
  Arguments args(*this, call, "pl." + word, word_signature(word));
  if (args.has("level")) {
    const Value level = args.value("level");
    const auto* w = level.as<Word>();
    const auto known =
        w && w->path.starts_with("Level.") ? level_named(w->path.substr(6)) : std::nullopt;
    if (!known) args.wrong("level", level, "one of pl.Level, such as pl.Level.CORE_GROUP");
    scope.level = *known;
  }
  if (args.has("name_hint")) scope.name = args.text("name_hint");
  for (const Keyword& k : call.keywords)
    if (k.name == "optimization" || k.name == "optimizations") read_optimizations(*k.value, scope);
  scope.order = task_order(args);
  return scope;
}

// `pl.scope()` gives tensors a lifetime and has no other effect here.
void Lowering::runtime_scope(const Stmt& s, const std::string& word) {
  bool manual = word == "manual_scope";
  for (const Keyword& k : s.value->keywords)
    if (k.name == "mode") manual = manual || value_of(*k.value).is_word("ScopeMode.MANUAL");
  manual_scopes_ += manual;
  body(s.body);
  manual_scopes_ -= manual;
}

void Lowering::with_statement(const Stmt& s) {
  const Expr& call = *s.value;
  const std::string path = call.kind == ExprKind::Call ? dotted_path(*call.parts[0]) : "";
  const std::string word = path.starts_with("pl.") ? path.substr(3) : "";
  if (word == "spmd") return open_spmd(s, call);
  if (word == "manual_scope" || word == "scope") return runtime_scope(s, word);
  if (word != "at" && word != "incore" && word != "auto_incore" && word != "cluster")
    unsupported(s.at, path.empty() ? "this with-statement" : fmt::format("'with {}'", path),
                "scopes are pl.at, pl.incore, pl.auto_incore, pl.cluster and pl.spmd");
  // A cluster around a launch adds nothing: the blocks of the launch are its tasks.
  if (word == "cluster" && s.body.size() == 1 && s.body[0]->kind == StmtKind::With &&
      s.body[0]->value->kind == ExprKind::Call &&
      dotted_path(*s.body[0]->value->parts[0]) == "pl.spmd")
    return body(s.body);
  ir::Scope scope = scope_of(call, word);
  scope.order.manual = manual_scopes_ > 0;
  name_task(scope.order, s.name, s.at);
  open();
  const std::string outer_name = std::exchange(scope_name_, scope.name);
  if (scopes_++ == 0) ++scope_number_;
  body(s.body);
  --scopes_;
  scope_name_ = outer_name;
  scope.body = close();
  append({std::move(scope)});
}

// ---- branches ----------------------------------------------------------------------------------

// A file of ours pins every name for good, so there is nothing to put back.
Lowering::Kept Lowering::keep() const {
  if (in_.names_are_buffers) return {};
  return {frame().pinned, frame().keep_scalars};
}

void Lowering::restore(Kept kept) {
  if (in_.names_are_buffers) return;
  frame().pinned = std::move(kept.pinned);
  frame().keep_scalars = std::move(kept.scalars);
}

Value Lowering::current(std::string_view name) const {
  const auto it = frame().names.find(name);
  return it == frame().names.end() ? Value{None{}} : it->second.value;
}

// Gives a name that a loop or branch must keep in one place its variable, if it has a value now.
void Lowering::pin_current(std::string_view name, At at) {
  if (pin_of(name)) return;
  const auto it = frame().names.find(name);
  if (it == frame().names.end()) {
    frame().keep_scalars.insert(name);
    return;
  }
  if (const auto* t = it->second.value.as<Tensor>()) {
    ir::VarId var = t->var;
    if (changes(name) && !handles_.contains(var)) {
      var = stand_for(name, std::nullopt, var, at);
      bind(name, {Tensor{var}});
    }
    frame().pinned[name] = var;
  } else if (const auto* e = it->second.value.as<ir::Expr>()) {
    const ir::VarId var = scalar_var(name, DType::Index, at);
    append({ir::Let{var, *e, place(at)}});
    frame().pinned[name] = var;
    bind(name, {ir::Expr::var(var)});
  } else if (it->second.value.as<FloatScalar>() || it->second.value.as<double>()) {
    const ir::VarId var = scalar_var(name, DType::F32, at);
    set_float(var, it->second.value, at);
    frame().pinned[name] = var;
    bind(name, {FloatScalar{var}});
  } else if (it->second.value.as<TaskHandle>() || it->second.value.as<None>()) {
    pin_task(name, Value(it->second.value), at);
  }
}

ir::Block Lowering::branch(const Body& statements) {
  open();
  body(statements);
  return close();
}

void Lowering::if_statement(const Stmt& s) {
  const Value condition = value_of(*s.value);
  frame().yields.emplace_back(std::nullopt);
  struct Leave {
    Lowering& l;
    ~Leave() { l.frame().yields.pop_back(); }
  } const leave{*this};
  if (is_known(condition) && !in_.names_are_buffers)
    return body(truth(condition, s.at) ? s.body : s.other);
  ir::If out;
  out.place = place(s.at);
  out.condition = condition_of(condition, s.value->at);
  const Liveness::Block& names = frame().liveness->of(s);
  Kept kept = keep();
  const std::size_t vars = program_.vars.size();
  const auto everywhere = [&](std::string_view n) {
    return std::ranges::binary_search(names.on_all_paths, n);
  };
  if (!in_.names_are_buffers)
    for (std::string_view n : names.merged) {
      if (everywhere(n))
        frame().keep_scalars.insert(n);
      else
        pin_current(n, s.at);
    }
  const std::size_t mark = frame().changes.size();
  if (!in_.names_are_buffers) ++frame().recording;
  out.then_body = branch(s.body);
  if (!in_.names_are_buffers)
    for (std::string_view n : names.merged) {
      const Value now = current(n);
      const auto* t = now.as<Tensor>();
      if (everywhere(n) && t && t->var.index() >= vars) frame().pinned.emplace(n, t->var);
      if (const auto* task = now.as<TaskHandle>(); everywhere(n) && task && !task->ref.index)
        frame().pinned.emplace(n, task->ref.var);
    }
  std::vector<Value> after_then;
  for (std::string_view n : names.merged) after_then.push_back(current(n));
  const Bindings then = undo_names(mark);
  const auto before = frame().in_other_branch;
  for (const auto& [name, binding] : then)
    if (!frame().names.contains(name)) frame().in_other_branch.insert(name);
  out.else_body = branch(s.other);
  frame().in_other_branch = before;
  if (!in_.names_are_buffers) {
    join_names(then, mark);
    --frame().recording;
  }
  append({std::move(out)});
  for (std::size_t i = 0; i < names.merged.size(); ++i)
    require_same(names.merged[i], after_then[i], current(names.merged[i]), s);
  restore(std::move(kept));
}

// Puts names back to what they were at `mark`, and returns what they had become.
Lowering::Bindings Lowering::undo_names(std::size_t mark) {
  Bindings became;
  auto& changes = frame().changes;
  for (; changes.size() > mark; changes.pop_back()) {
    Frame::Change& c = changes.back();
    became.try_emplace(c.name, frame().names.at(c.name));
    if (c.old)
      frame().names[c.name] = std::move(*c.old);
    else
      frame().names.erase(c.name);
  }
  return became;
}

// After an if a name is what either side made of it; what one side has given up is gone.
void Lowering::join_names(const Bindings& then, std::size_t mark) {
  std::unordered_set<std::string_view> changed_by_else;
  for (std::size_t i = mark; i < frame().changes.size(); ++i)
    changed_by_else.insert(frame().changes[i].name);
  for (const auto& [name, binding] : then)
    if (!changed_by_else.contains(name) || !binding.taken_by.empty()) set_binding(name, binding);
  if (frame().recording == 1) frame().changes.clear();
}

// Whichever way a branch went, a name that is read after it stands for one thing.
void Lowering::require_same(std::string_view name, const Value& a, const Value& b, const Stmt& s) {
  if (a.as<Told>() || b.as<Told>()) return;
  const auto* ta = a.as<Tensor>();
  const auto* tb = b.as<Tensor>();
  const bool only_one = a.as<None>() || b.as<None>();  // bound on one side: usable on that path
  if (only_one || same_value(a, b)) return;
  if (ta && tb && program_[ta->var].dtype == program_[tb->var].dtype &&
      program_[ta->var].shape == program_[tb->var].shape) require_changing(name);
  fail(s.at, "branch",
       fmt::format("{} is {} on one branch of the if and {} on the other", name,
                   ta ? program_[ta->var].written_name() : kind_text(a),
                   tb ? program_[tb->var].written_name() : kind_text(b)),
       "a name that is read after an if must have the same element type and shape on both branches",
       "use two names");
}

ir::Cond Lowering::condition_of(const Value& v, At at) {
  if (const auto* c = v.as<ir::Cond>()) return *c;
  ir::Cond c;
  c.op = ir::Compare::Ne;
  c.left = integer_of(v, at, "the condition");
  return c;
}

}  // namespace tilewright::frontend
