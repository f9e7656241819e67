#include "tilewright/frontend/evaluate/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/frontend/torch/torch.h"
#include "tilewright/frontend/file.h"

namespace tilewright::frontend {

namespace {

constexpr int64_t kErrorSteps = 32;  // what an error costs beside a statement

}  // namespace

bool is_decorated_by_pl(const Stmt& s) { return !decorator_path(s).empty(); }

std::string decorator_path(const Stmt& s) {
  const Expr* d = decorator_of_pl(s);
  return d ? dotted_path(*d).substr(3) : "";
}

const Expr* decorator_of_pl(const Stmt& s) {
  for (const Expr* d : s.decorators) {
    const Expr* callee = d->kind == ExprKind::Call ? d->parts[0] : d;
    if (dotted_path(*callee).starts_with("pl.")) return callee;
  }
  return nullptr;
}

void refuse_raise(const PythonRaise& raised) {
  if (raised.is_assert)
    refuse(raised.place, "assert", "an assert in the file fails",
           "the file checks which sizes it supports", "choose other sizes");
  refuse(raised.place, "guard",
         fmt::format("a check in the file rejects these sizes: {}", raised.text),
         "the file checks which sizes it supports", "choose other sizes");
}

Interpreter::Interpreter(World& world, Modules& modules, Environment& names)
    : Evaluator(names.module->parsed->source(), world), modules_(modules), names_(names) {}

Value Interpreter::attempt(const Expr& e) {
  try {
    return evaluate(e);
  } catch (const TooLong&) {
    throw;
  } catch (const UserError& error) {
    world_.spend(kErrorSteps);
    return unknown(error.diagnostic().what, place(e.at));
  }
}

// Whether `value` put into `whole` would make it a part of itself. Python allows that; nothing that
// is evaluated here needs it.
bool Interpreter::would_cycle(const Value& whole, const Value& value) {
  int64_t looked_at = 0;
  const bool cycle = holds(value, whole, looked_at);
  world_.spend(looked_at);
  return cycle;
}

// ---- names and subscripts ----------------------------------------------------------------------

Value Interpreter::name(const Expr& e) {
  const Value* v = names_.find(e.text);
  if (v) {
    const auto* u = v->as<Unknown>();
    if (const auto* s = v->as<std::string>()) world_.spend(static_cast<int64_t>(s->size() / 64));
    if (!u) return *v;
    // A loop over what Python would have refused: it is given up sooner than one that computes.
    constexpr int64_t kUnknownSteps = 20;
    world_.spend(kUnknownSteps);
    return unknown(std::string(e.text), place(e.at), u->cause);
  }
  if (e.text == "pl" || e.text == "pld") return {Outside{std::string(e.text), nullptr}};
  if (is_builtin_name(e.text)) return {Outside{std::string(e.text), nullptr}};
  std::vector<std::string> known;
  for (const Environment* scope = &names_; scope; scope = scope->outer)
    for (const auto& entry : scope->values) known.push_back(entry.first);
  fail(e.at, "name", fmt::format("unknown name {}{}", e.text, did_you_mean(e.text, known)),
       "a name must be defined before it is used", "check the spelling");
}

std::optional<Value> Interpreter::exchange(std::string_view name, std::optional<Value> value) {
  std::optional<Value> before;
  const auto it = names_.values.find(name);
  if (it != names_.values.end()) before = std::move(it->second);
  if (value)
    names_.bind(name, std::move(*value));
  else if (it != names_.values.end())
    names_.values.erase(it);
  return before;
}

Value Interpreter::lambda(const Expr& e) {
  return {Function{nullptr, &e, &names_, nullptr, defaults_of(e.parameters)}};
}

Value Interpreter::assignment(const Expr& e) {
  Value v = evaluate(*e.parts[0]);
  names_.bind(e.text, v);
  return v;
}

Value Interpreter::settled(Value v, At at) {
  if (const auto* d = v.as<Dynamic>())
    return unknown(fmt::format("the size {} is not known outside a program", d->name), place(at));
  return v;
}

Value Interpreter::call(const Expr& e) {
  step(e.at);
  const std::string path = dotted_path(*e.parts[0]);
  if (path == "super" && e.parts.size() == 1) return super_object(e.at);
  if (path == "pl.dynamic") {
    const CallValues args = arguments_of(e);
    const auto* text = args.positional.empty() ? nullptr : args.positional[0].as<std::string>();
    if (!text) return unknown("pl.dynamic without a name", place(e.at));
    const Value dynamic{Dynamic{*text}};
    world_.offer(*text, dynamic);
    if (const Value* choice = world_.chosen(*text)) return *choice;
    return dynamic;
  }
  if (path == "pl.inline" || path == "pl.jit.inline")  // as the decorator: a function stays itself
    if (const CallValues args = arguments_of(e);
        args.positional.size() == 1 && args.positional[0].as<Function>())
      return args.positional[0];
  if (path.starts_with("pl."))
    return unknown(fmt::format("{} outside a program", path), place(e.at));
  const Value callee = evaluate(*e.parts[0]);
  return call_value(callee, arguments_of(e), e.at);
}

Value Interpreter::call_value(const Value& callee, const CallValues& args, At at) {
  step(at);
  if (const auto* f = callee.as<Function>()) return call_function(*f, args, at);
  if (const auto* c = callee.as<Class>()) return instantiate(*c, args, at);
  if (const auto* o = callee.as<Outside>()) return call_outside(*o, args, at);
  if (const auto* u = callee.as<Unknown>())
    return unknown("a call of an unknown value", place(at), u->cause);
  if (callee.as<Object>())
    if (const auto method = object_member(callee, "__call__", at); method.as<Function>())
      return call_value(method, args, at);
  fail(at, "call", fmt::format("cannot call {}", kind_text(callee)), "only functions can be called",
       "check the expression before the parenthesis");
}

Value Interpreter::subscript(const Expr& e) { return item(evaluate(*e.parts[0]), e); }

namespace {

// Bounds of list[a:b:c], clipped as Python clips them.
struct Cut {
  int64_t low, high, step;
};

std::optional<Cut> cut_of(int64_t size, const std::optional<int64_t>& low,
                          const std::optional<int64_t>& high, int64_t step) {
  if (step == 0 || size < 0) return std::nullopt;
  const auto clip = [&](int64_t i, int64_t least, int64_t most) {
    return std::clamp(i < 0 ? i + size : i, least, most);
  };
  if (step > 0)
    return Cut{low ? clip(*low, 0, size) : 0, high ? clip(*high, 0, size) : size, step};
  return Cut{low ? clip(*low, -1, size - 1) : size - 1, high ? clip(*high, -1, size - 1) : -1,
             step};
}

}  // namespace

// base[...] for values of compile time.
Value Interpreter::item(const Value& base, const Expr& e) {
  if (const auto* u = base.as<Unknown>())
    return unknown("a part of an unknown value", place(e.at), u->cause);
  if (base.as<Outside>() || base.as<Class>()) {  // Optional[int], dict[str, int], os.environ["X"]
    if (base.is_outside("os.environ"))
      return unknown("a value of the process environment", place(e.at));
    return base;
  }
  const bool sliced = e.parts.size() == 2 && e.parts[1]->kind == ExprKind::Slice;
  const auto* list = base.as<List>();
  const auto* text = base.as<std::string>();
  if ((list || text) && sliced) {
    std::optional<int64_t> bounds[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const Expr* bound = e.parts[1]->parts[i];
      if (!bound) continue;
      const Value v = evaluate(*bound);
      if (v.as<None>()) continue;
      bounds[i] = v.integer();
      if (!bounds[i]) return unknown("a slice with an unknown bound", place(e.at));
    }
    const auto size = static_cast<int64_t>(list ? list->items().size() : text->size());
    const auto cut = cut_of(size, bounds[0], bounds[1], bounds[2].value_or(1));
    if (!cut) return unknown("a slice with step 0", place(e.at));
    std::vector<Value> items;
    std::string part;
    for (int64_t i = cut->low; cut->step > 0 ? i < cut->high : i > cut->high; i += cut->step) {
      if (list)
        items.push_back(list->items()[static_cast<std::size_t>(i)]);
      else
        part += (*text)[static_cast<std::size_t>(i)];
    }
    return list ? Value{List::of(std::move(items), list->tuple)} : Value{std::move(part)};
  }
  if (const auto* made = base.as<Made>()) {
    const auto index = torch_index(e, [&](const Expr& part) { return evaluate(part); });
    if (index)
      if (auto part = torch_item(*made, *index)) return *part;
    return unknown("this part of a torch tensor is not evaluated", place(e.at));
  }
  if (e.parts.size() != 2) return unknown(fmt::format("a part of {}", kind_text(base)), place(e.at));
  const Value index = evaluate(*e.parts[1]);
  if (index.as<Unknown>()) return index;
  if (const auto* dict = base.as<Dict>()) {
    if (const Value* v = entry(*dict, index)) return *v;
    fail(e.at, "constant",
         fmt::format("a dictionary without the key {}", python_text(index, true).value_or("")),
         "a lookup needs an existing key", "check the key");
  }
  if (list || text) {
    const auto i = index.integer();
    const auto size = static_cast<int64_t>(list ? list->items().size() : text->size());
    if (!i || *i < -size || *i >= size)
      fail(e.at, "constant", fmt::format("the index is out of range for a list of {}", size),
           "an index must be in range", "check the index");
    const auto at = static_cast<std::size_t>(*i < 0 ? *i + size : *i);
    return list ? list->items()[at] : Value{std::string(1, (*text)[at])};
  }
  if (const auto* o = base.as<Object>()) {
    const auto items = items_of(base);  // of a named tuple
    if (const auto i = index.integer(); items && i) {
      const auto size = static_cast<int64_t>(items->size());
      if (*i >= -size && *i < size) return (*items)[static_cast<std::size_t>((*i + size) % size)];
      fail(e.at, "constant", fmt::format("{} has no entry {}", o->type->name, *i),
           "an index must be in range", "check the index");
    }
    const Value method = object_member(base, "__getitem__", e.at);
    if (method.as<Function>()) return call_value(method, {{index}, {}}, e.at);
  }
  return unknown(fmt::format("a part of {}", kind_text(base)), place(e.at));
}

// ---- statements --------------------------------------------------------------------------------

Interpreter::Flow Interpreter::run(const Body& body) {
  if (body.empty()) return Flow::Next;
  const Deeper deeper(world_, *source_, body[0]->at);
  for (const Stmt* s : body) {
    Flow flow = Flow::Next;
    try {
      flow = statement(*s);
    } catch (const TooLong&) {
      throw;
    } catch (const UserError& error) {
      world_.spend(kErrorSteps);
      flow = forget({s}, unknown(error.diagnostic().what, place(s->at)));
    }
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::statement(const Stmt& s) {
  step(s.at);
  switch (s.kind) {
    case StmtKind::Assign: return assign_statement(s), Flow::Next;
    case StmtKind::Augment: return assign(*s.targets[0], attempt(*s.value)), Flow::Next;
    case StmtKind::Evaluate:
      if (s.value->kind == ExprKind::Call) attempt(*s.value);
      return Flow::Next;
    case StmtKind::For: return for_statement(s);
    case StmtKind::While: return while_statement(s);
    case StmtKind::If: return if_statement(s);
    case StmtKind::With:
      attempt(*s.value);
      if (!s.name.empty()) names_.bind(s.name, unknown("the value of a with", place(s.at)));
      return run(s.body);
    case StmtKind::Try: return try_statement(s);
    case StmtKind::Return:
      returned_ = s.value ? attempt(*s.value) : Value{None{}};
      return Flow::Return;
    case StmtKind::Assert: {
      const Value v = attempt(*s.value);
      if (const auto* holds = v.as<bool>(); holds && !*holds)
        throw PythonRaise{place(s.value->at), "assert", true};
      return Flow::Next;
    }
    case StmtKind::Raise: throw PythonRaise{place(s.at), s.why, false};
    case StmtKind::Break: return Flow::Break;
    case StmtKind::Continue: return Flow::Continue;
    case StmtKind::Delete:
      for (const Expr* t : s.targets)
        if (t->kind == ExprKind::Name) exchange(t->text, std::nullopt);
      return Flow::Next;
    case StmtKind::Import: return modules_.import(s, names_), Flow::Next;
    case StmtKind::Function:
      names_.bind(s.name, {Function{&s, nullptr, &names_, nullptr, defaults_of(s.parameters)}});
      return Flow::Next;
    case StmtKind::Class: return define_class(s), Flow::Next;
    case StmtKind::Skipped:
      if (!s.name.empty()) names_.bind(s.name, unknown(s.why, place(s.at)));
      return Flow::Next;
    case StmtKind::Pass: return Flow::Next;
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::for_statement(const Stmt& s) {
  const Value range = attempt(*s.value);
  const auto items = items_of(range);
  if (!items) {
    const auto* u = range.as<Unknown>();
    return forget({&s}, unknown(fmt::format("a loop over {}", kind_text(range)), place(s.at),
                                u ? u->cause : nullptr));
  }
  for (const Value& v : *items) {
    if (s.unpacks)
      assign_parts(s.targets, v, s.at);
    else
      assign(*s.targets[0], v);
    const Flow flow = run(s.body);
    if (flow == Flow::Return) return flow;
    if (flow == Flow::Break) return Flow::Next;
  }
  return run(s.other);
}

Interpreter::Flow Interpreter::while_statement(const Stmt& s) {
  for (;;) {
    const Value v = attempt(*s.value);
    if (v.as<Unknown>()) return forget({&s}, v);
    if (!truth(v, s.at)) return run(s.other);
    const Flow flow = run(s.body);
    if (flow == Flow::Return) return flow;
    if (flow == Flow::Break) return Flow::Next;
    step(s.at);
  }
}

Interpreter::Flow Interpreter::if_statement(const Stmt& s) {
  Value v = attempt(*s.value);
  if (const auto* m = v.as<Made>()) v = torch_number(*m).value_or(v);
  if (!v.as<Unknown>() && !v.as<ir::Cond>() && !v.as<Dynamic>() && !v.as<Made>() &&
      !v.as<Outside>())
    return run(truth(v, s.at) ? s.body : s.other);
  // A guard that cannot be decided is taken to hold.
  if (!s.body.empty() && s.body.back()->kind == StmtKind::Raise) return run(s.other);
  const Value why = unknown("a branch on an unknown value", place(s.at),
                            v.as<Unknown>() ? v.as<Unknown>()->cause : nullptr);
  const Flow then = forget(s.body, why);
  const Flow other = forget(s.other, why);
  return then == Flow::Next ? other : then;
}

Interpreter::Flow Interpreter::try_statement(const Stmt& s) {
  Flow flow = Flow::Next;
  try {
    flow = run(s.body);
    if (flow == Flow::Next) flow = run(s.other);
  } catch (const PythonRaise&) {
    if (s.handlers.empty()) {
      run(s.last);
      throw;
    }
    flow = run(s.handlers[0]);
  }
  const Flow last = run(s.last);
  return last == Flow::Next ? flow : last;
}

// The statements may or may not have been executed: what they would have bound is unknown.
Interpreter::Flow Interpreter::forget(const Body& body, const Value& why) {
  std::vector<std::string_view> bound;
  collect_bound(body, bound);
  for (std::string_view n : bound) names_.bind(n, why);
  const std::function<bool(const Body&)> returns = [&](const Body& b) {
    return std::ranges::any_of(b, [&](const Stmt* s) {
      if (s->kind == StmtKind::Return) return true;
      if (s->kind == StmtKind::Function || s->kind == StmtKind::Class) return false;
      return returns(s->body) || returns(s->other) || returns(s->last);
    });
  };
  if (!returns(body)) return Flow::Next;
  returned_ = why;
  return Flow::Return;
}

void collect_bound(const Body& body, std::vector<std::string_view>& out) {
  const std::function<void(const Expr&)> target = [&](const Expr& e) {
    if (e.kind == ExprKind::Name) out.push_back(e.text);
    if (e.kind == ExprKind::Tuple || e.kind == ExprKind::List || e.kind == ExprKind::Starred)
      for (const Expr* part : e.parts) target(*part);
  };
  for (const Stmt* s : body) {
    for (const Expr* t : s->targets) target(*t);
    for (const Expr* t : s->also) target(*t);
    if (!s->name.empty() && s->kind != StmtKind::Augment) out.push_back(s->name);
    for (const ImportName& n : s->imports)
      if (!n.bound.empty()) out.push_back(n.bound);
    if (s->kind == StmtKind::Function || s->kind == StmtKind::Class) continue;
    collect_bound(s->body, out);
    collect_bound(s->other, out);
    collect_bound(s->last, out);
    for (const Body& h : s->handlers) collect_bound(h, out);
  }
}

// ---- assignments -------------------------------------------------------------------------------

void Interpreter::assign_statement(const Stmt& s) {
  if (!s.value) return;
  Value value = attempt(*s.value);
  if (const auto* u = value.as<Unknown>(); u && u->cause && !u->cause->place.known())
    value = unknown(u->cause->what, place(s.at), u->cause->from);
  if (!s.unpacks && s.targets[0]->kind == ExprKind::Name && s.also.empty())
    return assign_name(*s.targets[0], *s.value, std::move(value));
  for (const Expr* t : s.also) assign(*t, value);
  if (s.unpacks)
    unpack(s, value);
  else
    assign(*s.targets[0], value);
}

// `ROWS, K = 16, 4096` binds its names as `ROWS = 16` and `K = 4096` would.
void Interpreter::unpack(const Stmt& s, const Value& value) {
  const std::vector<const Expr*>& written = s.value->parts;
  const auto starred = [](const Expr* e) { return e->kind == ExprKind::Starred; };
  const bool listed = (s.value->kind == ExprKind::Tuple || s.value->kind == ExprKind::List) &&
                      written.size() == s.targets.size() &&
                      std::ranges::none_of(written, starred) &&
                      std::ranges::none_of(s.targets, starred);
  const auto items = items_of(value);
  if (!listed || !items) return assign_parts(s.targets, with_choices(s.targets, value), s.at);
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (s.targets[i]->kind == ExprKind::Name)
      assign_name(*s.targets[i], *written[i], (*items)[i]);
    else
      assign(*s.targets[i], (*items)[i]);
  }
}

// The numbers of `ROWS, K = sizes()` in a module can be replaced by the user like others.
Value Interpreter::with_choices(const std::vector<const Expr*>& targets, const Value& value) {
  auto items = items_of(value);
  if (names_.outer != nullptr || !items || items->size() != targets.size()) return value;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i]->kind != ExprKind::Name || !(*items)[i].number()) continue;
    if (const Value* choice = world_.chosen(targets[i]->text)) (*items)[i] = *choice;
  }
  return {List::of({items->begin(), items->end()})};
}

// One value per target; one of them may be `*rest` and takes what the others leave.
void Interpreter::assign_parts(const std::vector<const Expr*>& targets, const Value& value, At at) {
  const auto items = items_of(value);
  const auto rest = std::ranges::find(targets, ExprKind::Starred, &Expr::kind);
  const bool has_rest = rest != targets.end();
  const std::size_t single = targets.size() - (has_rest ? 1 : 0);
  if (!items || (has_rest ? items->size() < single : items->size() != single)) {
    const auto* u = value.as<Unknown>();
    const std::string count = counted(static_cast<int64_t>(targets.size()), "name");
    const Value why =
        unknown(items ? fmt::format("cannot unpack {1} into {0}", count,
                                    counted(static_cast<int64_t>(items->size()), "value"))
                      : fmt::format("cannot unpack {1} into {0}", count, kind_text(value)),
                place(at), u ? u->cause : nullptr);
    for (const Expr* t : targets)
      assign(t->kind == ExprKind::Starred ? *t->parts[0] : *t, why);
    return;
  }
  auto next = items->begin();
  for (const Expr* t : targets) {
    if (t->kind != ExprKind::Starred) {
      assign(*t, *next++);
      continue;
    }
    const auto end = next + static_cast<std::ptrdiff_t>(items->size() - single);
    assign(*t->parts[0], {List::of({next, end})});
    next = end;
  }
}

// Where a number stands in the file, if the expression is one.
std::optional<Written> Interpreter::written_number(const Expr& e) const {
  if (e.kind != ExprKind::Number) return std::nullopt;
  return Written{place(e.at), std::string(e.text)};
}

// A number of a module can be replaced by the user. Only what stands there as a number is offered:
// of those that follow from it the user has to know.
void Interpreter::assign_name(const Expr& target, const Expr& written, Value value) {
  const bool margin = names_.outer == nullptr;
  const bool negative =
      written.kind == ExprKind::Unary && written.parts[0]->kind == ExprKind::Number;
  const bool plain = written.kind == ExprKind::Number || negative || value.as<Dynamic>();
  if (margin && plain && !world_.main_started)
    world_.offer(target.text, value, written_number(written));
  if (margin && (plain || value.number() || value.as<Unknown>()))
    if (const Value* choice = world_.chosen(target.text)) value = *choice;
  names_.bind(target.text, std::move(value));
}

void Interpreter::assign(const Expr& target, const Value& value) {
  switch (target.kind) {
    case ExprKind::Name: return names_.bind(target.text, value);
    case ExprKind::Tuple:
    case ExprKind::List: return assign_parts(target.parts, value, target.at);
    case ExprKind::Attribute: {
      const Value base = attempt(*target.parts[0]);
      if (would_cycle(base, value)) return;
      if (const auto* o = base.as<Object>()) Object(*o).set(target.text, value);
      if (const auto* m = base.as<Module>()) m->info->names.bind(target.text, value);
      return;
    }
    case ExprKind::Subscript: return assign_item(target, value);
    default: return;
  }
}

void Interpreter::assign_item(const Expr& target, const Value& value) {
  const Value base = attempt(*target.parts[0]);
  if (would_cycle(base, value)) return;
  if (const auto* made = base.as<Made>()) {
    const auto index = torch_index(target, [&](const Expr& part) { return attempt(part); });
    if (!index || !torch_assign(*made, *index, value)) torch_forget(*made);
    return;
  }
  if (target.parts.size() != 2) return;
  if (const Expr& index = *target.parts[1]; index.kind == ExprKind::Slice) {
    const auto* list = base.as<List>();  // of a list only x[:] = y
    const bool whole = !index.parts[0] && !index.parts[1] && !index.parts[2];
    if (const auto items = items_of(value); list && whole && items) *list->data = *items;
    return;
  }
  const Value index = attempt(*target.parts[1]);
  if (const auto* dict = base.as<Dict>()) {
    Dict whole = *dict;
    return set_entry(whole, index, value, target.at);
  }
  const auto* list = base.as<List>();
  const auto i = index.integer();
  if (!list || !i) return;
  const auto size = static_cast<int64_t>(list->items().size());
  if (*i >= -size && *i < size)
    (*list->data)[static_cast<std::size_t>(*i < 0 ? *i + size : *i)] = value;
}

void Interpreter::bind_builder(const Stmt& builder) {
  const auto called = world_.first_calls.find(&builder);
  const auto given = [&](const Parameter& p) {
    if (p.initial) return attempt(*p.initial);
    if (called != world_.first_calls.end())
      if (const auto it = called->second.find(p.name); it != called->second.end())
        return it->second;
    return unknown(fmt::format("builder parameter {} has no default; give --arg {}=NUMBER", p.name,
                               p.name),
                   place(p.at));
  };
  for (const Parameter& p : builder.parameters) {
    const Value initial = given(p);
    world_.offer_first(p.name, initial, p.initial ? written_number(*p.initial) : std::nullopt);
    const Value* choice = world_.chosen(p.name);
    names_.bind(p.name, choice ? *choice : initial);
  }
}

}  // namespace tilewright::frontend
