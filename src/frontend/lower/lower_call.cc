// Calls: functions of the file, which are expanded in place; scalar functions of pl; operations.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/arguments.h"
#include "tilewright/frontend/evaluate/functions.h"
#include "tilewright/frontend/file.h"

namespace tilewright::frontend {
namespace {

constexpr std::size_t kMaxCalls = 32;  // functions inside each other

bool is_run_time(const Value& v) { return v.as<ir::Expr>() && !v.integer(); }

}  // namespace

Value Lowering::call(const Expr& e, std::string_view target) {
  const std::string path = dotted_path(*e.parts[0]);
  if (path.starts_with("pl.")) return pl_call(path.substr(3), e, target);
  if (path.starts_with("pld.")) return pld_call(path, e, target);
  if (in_host())
    if (auto launched = launch(e)) return *launched;
  if (path.starts_with("self."))
    if (const auto method = own_function(path.substr(5)))
      return function_call(*method, call_values(e), e);
  if (path.starts_with("self."))
    fail(e.at, "call", fmt::format("cannot call {}", path),
         "a program calls pl functions and functions of its files", "define it in the class");
  if (const auto method = method_named(path)) return function_call(*method, call_values(e), e);
  const Value callee = evaluate(*e.parts[0]);
  const auto* f = callee.as<Function>();
  if (f && f->def && is_decorated_by_pl(*f->def)) return function_call(*f, call_values(e), e);
  return python_call(callee, e);
}

CallValues Lowering::call_values(const Expr& e) {
  CallValues args = arguments_of(e);
  for (const Value& v : args.positional)
    if (v.as<Told>()) throw AlreadyTold();
  for (const auto& [name, v] : args.keywords)
    if (v.as<Told>()) throw AlreadyTold();
  return args;
}

// A function of Python: evaluated now if its arguments are known, else expanded like any other.
Value Lowering::python_call(const Value& callee, const Expr& e) {
  const CallValues args = call_values(e);
  const auto is_of_program = [](const Value& v) {
    return is_run_time(v) || v.as<Tensor>() || v.as<FloatScalar>() || v.as<ir::Cond>() ||
           v.as<TaskHandle>();
  };
  const bool at_run_time = std::ranges::any_of(args.positional, is_of_program) ||
                           std::ranges::any_of(args.keywords, [&](const auto& k) {
                             return is_of_program(k.second);
                           });
  if (const auto* f = callee.as<Function>(); f && f->def && at_run_time)
    return function_call(*f, args, e);
  if (const auto* o = callee.as<Outside>(); o && at_run_time) {
    if (o->path == "max" || o->path == "min")
      unsupported(e.at, fmt::format("Python's {} of run-time values", o->path),
                  fmt::format("use pl.{}", o->path));
    if (o->path == "int" && args.positional.size() == 1 && args.positional[0].as<ir::Expr>())
      return args.positional[0];
    if (o->path == "len" && args.positional[0].as<Tensor>())
      return {ir::Expr(program_[args.positional[0].as<Tensor>()->var].shape[0])};
  }
  const std::string name = dotted_path(*e.parts[0]);
  if (const auto* o = callee.as<Outside>();
      o && (at_run_time || o->path.starts_with("torch")))
    fail(e.at, "call", fmt::format("cannot call {}", name.empty() ? "this" : name),
         "a program calls pl functions and functions of its files", "write it with pl. calls");
  return require_known(interpreter().call_value(callee, args, e.at),
                       name.empty() ? "this" : name, e.at);
}

// ---- functions of the file ---------------------------------------------------------------------

std::optional<Function> Lowering::method_named(std::string_view name) const {
  if (in_.program->kind == StmtKind::Class)
    for (const Stmt* s : in_.program->body)
      if (s->kind == StmtKind::Function && s->name == name)
        return Function{s, nullptr, &in_.home, nullptr};
  return std::nullopt;
}

// What self.NAME means: a method of the program's class, or, since a pl.jit function becomes such a
// method together with what it calls, a function that the file knows.
std::optional<Function> Lowering::own_function(std::string_view name) const {
  if (auto method = method_named(name)) return method;
  const Value* v = frame().home->find(name);
  const auto* f = v ? v->as<Function>() : nullptr;
  if (in_.program->kind == StmtKind::Class || !f || !f->def || !is_decorated_by_pl(*f->def))
    return std::nullopt;
  return *f;
}

void Lowering::enter(Frame frame) {
  source_ = &frame.home->module->parsed->source();
  frames_.push_back(std::move(frame));
}

void Lowering::leave() {
  frames_.pop_back();
  source_ = &frame().home->module->parsed->source();
}

// Called when the frame of the callee is open; `at` stands in the caller.
void Lowering::bind_argument(const Parameter& p, Value value, const Place& at) {
  Frame& callee = frame();
  if (!p.annotation || value.as<TaskHandle>()) {
    callee.names[p.name] = {std::move(value), ""};
    return;
  }
  const auto* tensor = value.as<Tensor>();
  const ir::Var* var = tensor ? &program_[tensor->var] : nullptr;
  const ParameterType want = parameter_type(*p.annotation, var ? &var->shape : nullptr);
  const bool fits = want.kind == ParameterType::Kind::Task
                        ? !var
                        : (want.kind == ParameterType::Kind::Array) == (var != nullptr);
  if (!fits)
    refuse(at, "argument", fmt::format("argument {} is {}", p.name, kind_text(value)),
           want.scalar() ? "the parameter is a scalar" : "the parameter is a tensor",
           "check the order of the arguments");
  if (want.window && !windows_.contains(tensor->var))
    refuse(at, "argument",
           fmt::format("argument {} is {}, which other ranks cannot access", p.name, var->name),
           "the parameter is a window", "pass the result of pld.window");
  if (var && want.complete() && (want.type.dtype != var->dtype || want.type.shape != var->shape))
    refuse(at, "argument",
           fmt::format("argument {} is {} {}, but the parameter is {}", p.name, var->name,
                       ir::type_text(*var), ir::type_text(want.type)),
           "an argument has the element type and shape of its parameter",
           "slice, reshape or cast it first");
  if (var) {
    callee.holders[tensor->var.value].push_back(p.name);
    if (want.direction != ir::Direction::In) callee.outputs.insert(p.name);
  }
  callee.names[p.name] = {std::move(value), ""};
}

namespace {

// Where argument i stands in the call; the call itself when * hides it.
At argument_at(const Expr& call, std::size_t i, std::string_view name) {
  for (const Keyword& k : call.keywords)
    if (k.name == name) return k.value->at;
  for (std::size_t part = 1; part < call.parts.size(); ++part) {
    if (call.parts[part]->kind == ExprKind::Starred) break;
    if (part == i + 1) return call.parts[part]->at;
  }
  return call.at;
}

}  // namespace

Value Lowering::function_call(const Function& callee, const CallValues& args, const Expr& e) {
  const Stmt& function = *callee.def;
  const Place at = place(e.at);
  const Source& caller = *source_;
  require_readable(function, callee.home->module->parsed->source());
  if (frames_.size() >= kMaxCalls ||
      std::ranges::any_of(frames_, [&](const Frame& f) { return f.function == &function; }))
    unsupported(e.at, fmt::format("a recursive call of {}", function.name), "use a loop");
  std::vector<const Parameter*> parameters;
  for (const Parameter& p : function.parameters)
    if (p.name != "self") parameters.push_back(&p);
  const std::size_t given = args.positional.size() + args.keywords.size();
  const auto needed = std::ranges::count_if(parameters, [](auto* p) { return !p->initial; });
  if (given > parameters.size() || given < static_cast<std::size_t>(needed))
    fail(e.at, "argument",
         fmt::format("{} is called with {}, but has {}", function.name,
                     counted(static_cast<int64_t>(given), "argument"),
                     counted(static_cast<int64_t>(parameters.size()), "parameter")),
         "a call needs one argument per parameter", "check the arguments");
  Frame opened;
  opened.function = &function;
  opened.home = callee.home;
  opened.liveness = liveness_of(function);
  const FunctionKind kind = function_kind(function);
  const std::size_t errors = errors_;
  enter(std::move(opened));
  try {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& p = *parameters[i];
      const Value* value = args.find(i, p.name);
      if (!value && !p.initial)
        refuse(at, "argument", fmt::format("{} needs {}", function.name, p.name),
               "a call needs one argument per parameter", fmt::format("give {}", p.name));
      bind_argument(p, value ? *value : evaluate(*p.initial),
                    caller.place(argument_at(e, i, p.name)));
      hear(p.at, p.name, current(p.name), true);
    }
    if (kind == FunctionKind::External) {
      frame().returned = external_call(function, at);
    } else if (kind == FunctionKind::InCore && !in_scope()) {
      ir::Scope scope;
      scope.name = std::string(function.name);
      scope.place = at;
      scope.order = call_order();
      kernel_body(function, std::move(scope));
    } else {
      frame().first_block = blocks_.size();
      body(function.body);
    }
  } catch (...) {
    leave();
    throw;
  }
  std::vector<Value> results = std::move(frame().returned);
  leave();
  if (errors_ > errors) return {Told{}};
  written_now_ = {};
  if (results.empty()) return {None{}};
  if (results.size() > 1) return {List::of(std::move(results), true)};
  if (const auto* t = results[0].as<Tensor>()) written_now_ = t->var;
  return results[0];
}

std::shared_ptr<const Liveness> Lowering::liveness_of(const Stmt& function) {
  auto& known = liveness_[&function];
  if (!known) known = std::make_shared<Liveness>(function.body);
  return known;
}

void Lowering::kernel_body(const Stmt& function, ir::Scope scope) {
  open();
  frame().first_block = blocks_.size();
  const std::string outer_name = std::exchange(scope_name_, scope.name);
  ++scopes_;
  ++scope_number_;
  body(function.body);
  --scopes_;
  scope_name_ = outer_name;
  scope.body = close();
  append({std::move(scope)});
}

// ---- pl ----------------------------------------------------------------------------------------

Value Lowering::pl_call(const std::string& word, const Expr& e, std::string_view target) {
  if (auto scalar = scalar_call(word, e, target)) return *scalar;
  std::string op = word;
  for (std::string_view prefix : {"tile.", "tensor."})
    if (op.starts_with(prefix)) op.erase(0, prefix.size());
  if (auto composed = composed_call(op, e, target)) return *composed;
  if (word == "tensor.create") op = "create_tensor";
  if (word == "tile.create") op = "create_tile";
  if (op == "create_tile") return op_call(ir::OpKind::Create, e, target);
  const auto kind = op_spelled(op);
  if (kind && *kind != ir::OpKind::Copy && *kind != ir::OpKind::GatherMask)
    return op_call(*kind, e, target);
  std::vector<std::string> known;
  for (const PlWord& w : pl_words()) known.emplace_back(w.name);
  for (int i = 0; i < ir::kOpCount; ++i)
    if (const auto k = static_cast<ir::OpKind>(i);
        k != ir::OpKind::Copy && k != ir::OpKind::GatherMask)
      known.emplace_back(ir::op_name(k));
  const std::string_view instead = replacement_for(op);
  fail(e.at, "unsupported",
       fmt::format("pl.{} is not supported{}", word,
                   instead.empty() ? did_you_mean(op, known) : ""),
       "docs/language.md lists the supported operations",
       instead.empty() ? "use one of them" : fmt::format("use {}", instead));
}

// What gives an integer, a task id or nothing. Empty when `word` is no such function.
std::optional<Value> Lowering::scalar_call(const std::string& word, const Expr& e,
                                           std::string_view target) {
  const auto is = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  };
  if (is({"tensor.read", "read", "tile.read"})) return read(e, target);
  if (is({"tensor.write", "write", "tile.write"})) return write_element(e);
  if (is({"get_block_idx", "tile.get_block_idx"})) {
    Arguments args(*this, e, "pl." + word, word_signature("get_block_idx"));
    if (block_index_.empty())
      fail(e.at, "spmd", fmt::format("pl.{} outside pl.spmd", word),
           "a block index belongs to an spmd launch", "use it inside pl.spmd");
    return Value{block_index_.back()};
  }
  if (is({"get_block_num", "tile.get_block_num"})) {
    Arguments args(*this, e, "pl." + word, word_signature("get_block_num"));
    if (block_count_.empty())
      fail(e.at, "spmd", fmt::format("pl.{} outside pl.spmd", word),
           "a block count belongs to an spmd launch", "use it inside pl.spmd");
    return Value{block_count_.back()};
  }
  if (is({"min", "max"})) {
    Arguments args(*this, e, "pl." + word, word_signature(word));
    const Value a = args.value("a");
    const Value b = args.value("b");
    if (auto v = scalar_arithmetic(word, a, b, e.at)) return v;
    if (a.number() && b.number() && (a.as<double>() || b.as<double>()))
      return (*a.number() < *b.number()) == (word == "min") ? a : b;
    const ir::Expr x = integer_of(a, args.at("a"), "a");
    const ir::Expr y = integer_of(b, args.at("b"), "b");
    return Value{word == "min" ? ir::min(x, y) : ir::max(x, y)};
  }
  if (is({"tensor.dim", "dim"})) {
    Arguments args(*this, e, "pl." + word, word_signature("dim"));
    const Shape& shape = program_[args.tensor("x")].shape;
    const int64_t axis = args.constant("axis");
    const auto rank = static_cast<int64_t>(shape.size());
    if (axis < -rank || axis >= rank)
      fail(args.at("axis"), "rank", fmt::format("dimension {} of {}", axis, shape_text(shape)),
           "an axis is one of the tensor's dimensions", "check the axis");
    return Value{ir::Expr(shape[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)])};
  }
  if (is({"cast", "tile.cast", "tensor.cast"})) return cast(e, target);
  if (is({"const"})) return Arguments(*this, e, "pl.const", word_signature("const")).value("value");
  if (is({"system.task_dummy"})) return task_dummy(e, target);
  if (is({"array.create"})) return local_array(e, target);
  if (is({"system.syncall"}))
    unsupported(e.at, "pl.system.syncall that is not a separate statement in pl.spmd",
                "put it in the body of pl.spmd, outside loops and branches");
  if (is({"submit", "spmd_submit"})) return submit(word, e);
  if (is({"no_dep"})) return no_dep(e);
  return std::nullopt;
}

Value Lowering::read(const Expr& e, std::string_view target) {
  Arguments args(*this, e, "pl.read", word_signature("read"));
  const ir::VarId array = args.tensor("x");
  return read_element(array, args.index("index"), target, e.at);
}

Value Lowering::read_element(ir::VarId array, std::vector<ir::Expr> index, std::string_view target,
                             At at) {
  const ir::Var& a = program_[array];
  if (index.size() != a.shape.size())
    fail(at, "rank",
         fmt::format("read of one element of {} {} with {}", a.written_name(), ir::type_text(a),
                     counted(static_cast<int64_t>(index.size()), "number")),
         "a scalar read has one index per dimension",
         fmt::format("give {}", counted(static_cast<int64_t>(a.shape.size()), "number")));
  const DType dtype = a.dtype;
  const ir::VarId* pin = target.empty() ? nullptr : pin_of(target);
  const bool reuse = pin && program_[*pin].scalar && program_[*pin].dtype == dtype;
  const ir::VarId var =
      reuse ? *pin
            : scalar_var(target.empty() ? a.name + "_value" : std::string(target), dtype, at);
  if (target.empty()) program_[var].written = "pl.tensor.read(...)";
  append({ir::Read{var, array, std::move(index), place(at)}});
  read_now_ = var;
  if (is_float(dtype)) return {FloatScalar{var}};
  return {ir::Expr::var(var)};
}

Value Lowering::write_element(const Expr& e) {
  Arguments args(*this, e, "pl.write", word_signature("write"));
  const ir::VarId array = args.tensor("x");
  const std::vector<ir::Expr> index = args.index("index");
  const auto operand = scalar_operand(args.value("value"));
  if (!operand) args.wrong("value", args.value("value"), "a number");
  store_element(array, index, *operand, e.at);
  written_now_ = array;
  return {Tensor{array}};
}

// A few numbers of one kernel: a tile of one dimension.
Value Lowering::local_array(const Expr& e, std::string_view target) {
  Arguments args(*this, e, "pl.array.create", word_signature("array.create"));
  const Value dtype = args.value("dtype");
  if (dtype.is_word("TASK_ID")) return task_array(e, target);
  if (!in_scope())
    unsupported(e.at, "an array of numbers outside a scope", "make it in the scope that uses it");
  ir::Op op;
  op.kind = ir::OpKind::Create;
  return emit(std::move(op), {args.dtype("dtype"), {args.constant("extent")}}, target, e.at,
              "array");
}

// One element is a window of one element.
void Lowering::store_element(ir::VarId array, const std::vector<ir::Expr>& index,
                             const ir::ScalarOperand& value, At at) {
  ir::Op full;
  full.kind = ir::OpKind::Full;
  full.scalar = value;
  const Shape one(std::max<std::size_t>(index.size(), 1), 1);
  const Value tile = emit(std::move(full), {program_[array].dtype, one}, {}, at);
  ir::Op assemble;
  assemble.kind = ir::OpKind::Assemble;
  assemble.dst = array;
  assemble.args = {tile.as<Tensor>()->var};
  assemble.offset = index;
  emit_in_place(std::move(assemble), at);
}

}  // namespace tilewright::frontend
