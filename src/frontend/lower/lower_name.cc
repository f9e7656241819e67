// Names and the buffers behind them.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/lowering.h"

namespace tilewright::frontend {
namespace {

constexpr std::size_t kLookBack = 64;  // statements searched for the one that made a value

ir::ArrayType type_of(const ir::Var& v) { return {v.dtype, v.shape}; }

// Terms of an expression, counted up to a limit: x * x * x * ... doubles with every name.
void count_terms(const ir::Expr& e, int& left) {
  for (const ir::Term& t : e.terms()) {
    if (--left <= 0) return;
    if (t.var.valid()) continue;
    count_terms(t.node->a, left);
    count_terms(t.node->b, left);
  }
}

bool is_complex(const ir::Expr& e) {
  int left = 100;
  count_terms(e, left);
  return left <= 0;
}

}  // namespace

Value Lowering::name(const Expr& e) {
  Value value = meaning_of(e);
  hear(e.at, e.text, value, false);
  return value;
}

Value Lowering::meaning_of(const Expr& e) {
  const auto it = frame().names.find(e.text);
  if (it != frame().names.end()) {
    const Binding& b = it->second;
    if (b.value.as<Told>()) throw AlreadyTold();
    if (!b.taken_by.empty())
      fail(e.at, "stale-name",
           fmt::format("{} is read after its buffer was written as {}", e.text, b.taken_by),
           "after an update, the buffer can be read only under its new name",
           fmt::format("read {}, or update {} under its own name", b.taken_by, e.text));
    return b.value.as<Dynamic>() ? resolved(b.value, e.at) : b.value;
  }
  if (frame().behind_barrier.contains(e.text))
    fail(e.at, "barrier", fmt::format("{} was created before pl.system.syncall", e.text),
         "tensors in GM survive a barrier; tiles do not",
         "store it in a tensor, or create it again");
  if (const Value* v = frame().home->find(e.text))
    return require_known(*v, e.text, e.at);
  if (is_builtin_name(e.text) || e.text == "pl" || e.text == "pld")
    return {Outside{std::string(e.text), nullptr}};
  if (frame().in_other_branch.contains(e.text))
    fail(e.at, "name", fmt::format("{} is assigned only in the other branch of the if", e.text),
         "a branch can read only what was assigned before the if",
         fmt::format("assign {0} before the if, or before the loop around it, for example with {0} = "
                     "pl.create_tensor(...)",
                     e.text));
  std::vector<std::string> known;
  for (const auto& [n, binding] : frame().names) known.emplace_back(n);
  for (const Environment* scope = frame().home; scope; scope = scope->outer)
    for (const auto& entry : scope->values) known.push_back(entry.first);
  std::sort(known.begin(), known.end());
  fail(e.at, "name", fmt::format("unknown name {}{}", e.text, did_you_mean(e.text, known)),
       "a name must be defined before it is used", "check the spelling");
}

// Dynamic sizes stay what they are until a number is needed.
Value Lowering::require_known(Value v, std::string_view name, At at) const {
  if (const auto* u = v.as<Unknown>()) refuse_unknown(*u, name, at);
  return v;
}

Value Lowering::member(const Value& value, std::string_view name, At at) {
  if (const auto* t = value.as<Tensor>()) {
    const ir::Var& v = program_[t->var];
    if (name == "dtype") return {v.dtype};
    if (name == "shape") {
      std::vector<Value> dims;
      for (int64_t d : v.shape) dims.push_back({ir::Expr(d)});
      return {List::of(std::move(dims), true)};
    }
    fail(at, "attribute", fmt::format("a tensor has no attribute {}", name),
         "a tensor has .shape and .dtype; operations are pl. calls", "use a pl. call");
  }
  const std::string what = fmt::format(".{}", name);
  return require_known(interpreter().member(value, name, at), what, at);
}

Value Lowering::lambda(const Expr& e) {
  unsupported(e.at, "lambda", "write the value out");
}

Value Lowering::assignment(const Expr& e) {
  unsupported(e.at, "an assignment inside an expression", "assign it on a separate line");
}

std::optional<Value> Lowering::exchange(std::string_view name, std::optional<Value> value) {
  std::optional<Value> before;
  const auto it = frame().names.find(name);
  if (it != frame().names.end()) before = it->second.value;
  if (value)
    frame().names[name] = {std::move(*value), ""};
  else
    frame().names.erase(name);
  return before;
}

void Lowering::bind(std::string_view name, Value value) {
  if (const auto* t = value.as<Tensor>()) frame().holders[t->var.value].push_back(name);
  set_binding(name, {std::move(value), ""});
}

void Lowering::set_binding(std::string_view name, Binding binding) {
  const auto it = frame().names.find(name);
  if (frame().recording > 0)
    frame().changes.push_back(
        {name, it == frame().names.end() ? std::nullopt : std::optional(it->second)});
  if (it == frame().names.end())
    frame().names.emplace(name, std::move(binding));
  else
    it->second = std::move(binding);
}

const ir::VarId* Lowering::pin_of(std::string_view name) const {
  const auto it = frame().pinned.find(name);
  return it == frame().pinned.end() ? nullptr : &it->second;
}

// The statement wrote `var` under `name`: other names of the buffer stand for contents that are
// gone.
void Lowering::take_over(std::string_view name, ir::VarId var) {
  auto& holders = frame().holders[var.value];
  for (std::string_view other : holders) {
    if (other == name) continue;
    const auto it = frame().names.find(other);
    const auto* t = it == frame().names.end() ? nullptr : it->second.value.as<Tensor>();
    if (t && t->var == var) set_binding(other, {it->second.value, std::string(name)});
  }
  holders = {name};
}

void Lowering::assign(const Expr& target, Value value, Origin origin) {
  bind_target(target, std::move(value), origin);
  hear(target.at, target.text, current(target.text), true);
}

void Lowering::bind_target(const Expr& target, Value value, Origin origin) {
  value = resolved(std::move(value), target.at);
  if (frame().home->find(target.text) && noted_.insert(std::string(target.text)).second)
    report(target.at, "shadow", fmt::format("{} hides a constant of the file", target.text),
           "the constant cannot be accessed after this assignment", "choose another name",
           Severity::Warning);
  if (const auto* t = value.as<Tensor>()) return assign_tensor(target, t->var, origin);
  if (const auto* e = value.as<ir::Expr>()) return assign_integer(target, *e);
  if (value.as<FloatScalar>() || (value.as<double>() && pin_of(target.text)))
    return assign_float(target, value, origin);
  if (const auto* t = value.as<TaskHandle>()) return assign_task(target, TaskHandle(*t), origin);
  if (pin_of(target.text) && !in_.names_are_buffers)
    fail(target.at, "carried",
         fmt::format("{} becomes {} in a loop or branch", target.text, kind_text(value)),
         "a loop can carry only tensors and numbers", "use another name");
  bind(target.text, std::move(value));
}

void Lowering::assign_tensor(const Expr& target, ir::VarId var, Origin origin) {
  const bool written = written_now_ == var;
  written_now_ = {};
  if (const ir::VarId* pin = pin_of(target.text); pin && *pin != var) {
    const ir::VarId keep = *pin;
    if (changes(target.text) && handles_.contains(keep) &&
        type_of(program_[keep]) == type_of(program_[var])) {
      stand_for(target.text, keep, var, target.at);
      return bind(target.text, {Tensor{keep}});
    }
    const bool rebind =
        in_.names_are_buffers && (!in_scope() || type_of(program_[keep]) != type_of(program_[var]));
    if (!rebind) {
      if (type_of(program_[keep]) == type_of(program_[var])) require_changing(target.text);
      copy(keep, var, target.at, origin != Origin::Copied);
      bind(target.text, {Tensor{keep}});
      return take_over(target.text, keep);
    }
  }
  if (origin != Origin::Made && is_tile(var) && !pin_of(target.text)) {
    const ir::VarId to = target_var(target.text, target.text, type_of(program_[var]), target.at);
    copy(to, var, target.at, origin == Origin::HandedOver);
    return bind(target.text, {Tensor{to}});
  }
  // A name keeps the tensor that another name stands for now, whatever that stands for later.
  if (!in_scope() && !pin_of(target.text) && (handles_.contains(var) || changes(target.text)))
    return bind(target.text, {Tensor{stand_for(target.text, std::nullopt, var, target.at)}});
  bind(target.text, {Tensor{var}});
  if (written) take_over(target.text, var);
}

void Lowering::assign_integer(const Expr& target, const ir::Expr& value) {
  const ir::VarId* pin = pin_of(target.text);
  const bool scalar_pin = pin && program_[*pin].scalar;
  if (pin && !scalar_pin && !in_.names_are_buffers)
    fail(target.at, "carried",
         fmt::format("{} becomes an integer in a loop or branch", target.text),
         "a name that a loop or branch carries must keep its type", "use another name");
  const bool keep = in_.names_are_buffers || frame().keep_scalars.contains(target.text);
  if (read_now_.valid() && value == ir::Expr::var(read_now_) && !scalar_pin)
    name_computed(read_now_, target.text);
  if (!scalar_pin && !keep && !is_complex(value))
    return bind(target.text, {value});  // the expression itself: extents such as (i+1)*P - i*P fold
  // A value just read is already a variable of its own.
  if (!scalar_pin && read_now_.valid() && value == ir::Expr::var(read_now_)) {
    frame().pinned[target.text] = read_now_;
    return bind(target.text, {value});
  }
  const ir::VarId var = scalar_pin ? *pin : scalar_var(target.text, DType::Index, target.at);
  if (!(read_now_.valid() && read_now_ == var)) append({ir::Let{var, value, place(target.at)}});
  if (scalar_pin)
    ranges_.erase(var);  // it has several values
  else
    ranges_[var] = ir::bounds(value, [&](ir::VarId v) { return range_of(v); });
  frame().pinned[target.text] = var;
  bind(target.text, {ir::Expr::var(var)});
}

ir::VarId Lowering::scalar_var(std::string_view name, DType dtype, At at) {
  ir::Var v;
  v.name = names_.take(name);
  v.written = name;
  v.scalar = true;
  v.dtype = dtype;
  v.place = place(at);
  return new_var(std::move(v));
}

// The buffer an operation writes: the one its name is kept in, or a new one.
ir::VarId Lowering::target_var(std::string_view target, std::string_view hint,
                               const ir::ArrayType& type, At at) {
  if (!target.empty()) {
    if (const ir::VarId* pin = pin_of(target); pin && !program_[*pin].scalar) {
      if (type_of(program_[*pin]) == type) {
        const ir::Param* param = program_.param_of(*pin);
        if (!in_.names_are_buffers && param && param->direction == ir::Direction::In)
          fail(at, "carried", fmt::format("a loop or branch changes {}, an input", target),
               "an input is read-only", "assign the new value to another name");
        return *pin;
      }
      if (!in_.names_are_buffers)
        fail(at, "carried",
             fmt::format("{} {} becomes {} in a loop or branch", target,
                         ir::type_text(program_[*pin]), ir::type_text(type)),
             "a name that a loop or branch carries must keep its element type and shape",
             "use another name");
    }
    const auto it = frame().names.find(target);
    const Tensor* bound = it == frame().names.end() ? nullptr : it->second.value.as<Tensor>();
    if (bound && frame().outputs.contains(target) && type_of(program_[bound->var]) == type)
      return bound->var;
  }
  ir::Var v;
  v.name = names_.take(target.empty() ? hint : target);
  v.written = v.name;
  if (!target.empty())
    v.written = target;
  else if (ir::parse_op(hint))
    v.written = fmt::format("pl.{}(...)", hint);
  v.dtype = type.dtype;
  v.shape = type.shape;
  v.place = place(at);
  const ir::VarId id = new_var(std::move(v));
  if (in_.names_are_buffers && !target.empty()) frame().pinned[target] = id;
  return id;
}

// `spent`: nobody reads `from` under its own name any more.
void Lowering::copy(ir::VarId to, ir::VarId from, At at, bool spent) {
  const ir::Var& t = program_[to];
  const ir::Var& f = program_[from];
  if (type_of(t) != type_of(f))
    fail(at, "carried", fmt::format("{} {} becomes {}", t.written_name(), ir::type_text(t), ir::type_text(f)),
         "a name that a loop or branch carries must keep its element type and shape",
         "use another name");
  if (!in_scope())
    fail(at, "carried",
         fmt::format("{} becomes another tensor, {}, in a loop or branch", t.written_name(),
                     f.written_name()),
         "an output is the caller's buffer; a program can write it but not replace it",
         "write the value into the output with assemble");
  if (spent && !in_.names_are_buffers && retarget(to, from)) return;
  ir::Op op;
  op.kind = ir::OpKind::Copy;
  op.dst = to;
  op.args = {from};
  op.place = place(at);
  append({std::move(op)});
}

bool Lowering::is_spent(const Stmt& s, const Expr& value) const {
  return value.kind != ExprKind::Name ||
         !std::ranges::binary_search(frame().liveness->of(s).read_later, value.text);
}

// If `from` was made only to become `to`, the operation that made it writes `to` itself.
bool Lowering::retarget(ir::VarId to, ir::VarId from) {
  if (uses_[from.index()] != 1 || program_.param_of(from)) return false;
  ir::Block& block = blocks_.back();
  for (std::size_t back = 0; back < kLookBack && back < block.size(); ++back) {
    auto* op = block[block.size() - 1 - back].as<ir::Op>();
    if (!op) return false;
    if (op->dst == from) {
      if (ir::updates_in_place(op->kind) || op->kind == ir::OpKind::Create) return false;
      op->dst = to;
      ++uses_[to.index()];
      names_.release(program_[from].name);
      return true;
    }
    if (op->dst == to || std::find(op->args.begin(), op->args.end(), to) != op->args.end())
      return false;
  }
  return false;
}

}  // namespace tilewright::frontend
