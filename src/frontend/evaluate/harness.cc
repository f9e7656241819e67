// The harness that program files are started with: specs of inputs, command lines, and the call
// that runs a program. Nothing is run here; what is asked for is remembered.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/frontend/evaluate/functions.h"
#include "tilewright/frontend/evaluate/interpreter.h"

namespace tilewright::frontend {
namespace {

constexpr const char* kTensorFields[] = {"name",      "shape",    "dtype", "init_value",
                                         "is_output", "resident", "value"};
constexpr const char* kScalarFields[] = {"name", "dtype", "value", "shape", "init_value", "is_output",
                                         "resident"};
constexpr const char* kOptions = "(options)";  // field of an ArgumentParser

bool is_last(std::string_view path, std::string_view word) {
  return path == word || (path.size() > word.size() && path.ends_with(word) &&
                          path[path.size() - word.size() - 1] == '.');
}

Object new_object() {
  return {nullptr, std::make_shared<std::vector<std::pair<std::string, Value>>>()};
}

Value value_or_none(const Value* v) { return v ? *v : Value{None{}}; }

// "--max-seq" is max_seq; of several names the first long one counts.
std::string destination(const CallValues& args) {
  if (const Value* dest = args.find(SIZE_MAX, "dest"))
    if (const auto* s = dest->as<std::string>()) return *s;
  std::string best;
  for (const Value& v : args.positional) {
    const auto* s = v.as<std::string>();
    if (!s || (!best.empty() && !s->starts_with("--"))) continue;
    if (best.starts_with("--")) continue;
    best = *s;
  }
  std::string out = best.substr(std::min(best.find_first_not_of('-'), best.size()));
  std::ranges::replace(out, '-', '_');
  return out;
}

// What an option can be besides its default: the other way of a flag, the other choices.
std::vector<Value> other_values(const CallValues& args, const Value& initial) {
  if (const auto* flag = initial.as<bool>()) return {{!*flag}};
  const Value* choices = args.find(SIZE_MAX, "choices");
  const auto* list = choices ? choices->as<List>() : nullptr;
  std::vector<Value> out;
  if (list)
    for (const Value& v : list->items())
      if (!equal(v, initial).value_or(true)) out.push_back(v);
  return out;
}

// Whether run's second argument is a list or dictionary of specs, not a tensor.
bool holds_specs(const Value* specs) {
  return specs && (specs->as<List>() || specs->as<Dict>() || specs->as<Unknown>());
}

std::vector<const Parameter*> entry_parameters(const Stmt& program) {
  std::vector<const Parameter*> out;
  const Stmt* entry = entry_function(program);
  if (!entry) return out;
  for (const Parameter& p : entry->parameters)
    if (p.name != "self") out.push_back(&p);
  return out;
}

std::vector<const Parameter*> without_outputs(std::vector<const Parameter*> parameters) {
  std::erase_if(parameters, [](const Parameter* p) {
    return p->annotation && p->annotation->kind == ExprKind::Subscript &&
           dotted_path(*p->annotation->parts[0]) == "pl.Out";
  });
  return parameters;
}

// Fields of an object that stands for a spec: its number, and whether it is of a scalar.
constexpr const char* kSpec = "(spec)";
constexpr const char* kScalarSpec = "(scalar)";

}  // namespace

std::optional<std::size_t> spec_number(const Value& v) {
  const auto* o = v.as<Object>();
  const Value* number = o && !o->type ? o->find(kSpec) : nullptr;
  if (!number) return std::nullopt;
  return static_cast<std::size_t>(number->integer().value_or(0));
}

bool is_scalar_spec(const Value& v) {
  const Value* scalar = spec_number(v) ? v.as<Object>()->find(kScalarSpec) : nullptr;
  return scalar && *scalar->as<bool>();
}

std::optional<Value> Interpreter::call_harness(const Outside& o, const CallValues& args, At at) {
  const std::string_view path = o.path;
  if (is_last(path, "TensorSpec") || is_last(path, "ScalarSpec")) {
    const bool scalar = is_last(path, "ScalarSpec");
    Object object = new_object();
    std::size_t position = 0;
    for (const char* field : scalar ? kScalarFields : kTensorFields)
      object.set(field, value_or_none(args.find(position++, field)));
    if (!scalar && object.find("is_output")->as<None>()) object.set("is_output", {false});
    return remember_spec(std::move(object), scalar, at);
  }
  const bool run = path.find("golden") != std::string_view::npos ||
                   path.find("pypto") != std::string_view::npos;
  if (run && (is_last(path, "run") || is_last(path, "run_jit"))) {
    const Value* program = args.find(0, is_last(path, "run_jit") ? "fn" : "program");
    const Value* specs = args.find(1, "specs");
    if (!specs) specs = args.find(SIZE_MAX, "tensor_specs");
    const auto* f = program ? program->as<Function>() : nullptr;
    if (f && f->def && !holds_specs(specs)) {
      // The runtime's run(program, x, y, config=...): without tensors it only compiles.
      CallValues tensors = args;
      if (!tensors.positional.empty()) tensors.positional.erase(tensors.positional.begin());
      if (!tensors.positional.empty()) start_program(*f, tensors, at);
      return *program;
    }
    remember_launch(value_or_none(program), value_or_none(specs));
    Launch& launch = world_.launches.back();
    if (const Value* r = args.find(SIZE_MAX, "rtol")) launch.rtol = r->number();
    if (const Value* a = args.find(SIZE_MAX, "atol")) launch.atol = a->number();
    return unknown("the result of a run", place(at));
  }
  if (is_last(path, "ArgumentParser")) {
    Object parser = new_object();
    parser.set(kOptions, {List::of({})});
    for (const char* method : {"add_argument", "parse_args", "parse_known_args",
                               "add_argument_group", "add_mutually_exclusive_group",
                               "set_defaults", "error"})
      parser.set(method, {Outside{fmt::format("argparse.{}", method),
                                  std::make_shared<const Value>(*parser.find(kOptions))}});
    return Value{std::move(parser)};
  }
  return std::nullopt;
}

void Interpreter::remember_launch(Value program, Value specs) {
  world_.launches.push_back({std::move(program), std::move(specs), {}, {},
                             modules_.main().names.values, false});
}

Value Interpreter::remember_spec(Object object, bool scalar, At at) {
  object.set(kSpec, {ir::Expr(static_cast<int64_t>(world_.specs.size()))});
  object.set(kScalarSpec, {scalar});
  world_.specs.push_back({object, scalar, place(at)});
  return {std::move(object)};
}

// The tensor that a spec makes: what its init_value is, or returns when it is called.
Value Interpreter::initial_values(const SpecCall& spec, At at) {
  Value init = spec.field("init_value");
  CallValues shape_and_type{{spec.field("shape")}, {{"dtype", spec.field("dtype")}}};
  if (const auto* f = init.as<Function>()) {
    const auto& parameters = f->def ? f->def->parameters : f->lambda->parameters;
    const bool takes_shape = !parameters.empty() && !parameters[0].initial &&
                             parameters[0].kind == Parameter::Kind::Plain && !f->self;
    return call_value(init, takes_shape ? CallValues{{spec.field("shape")}, {}} : CallValues{}, at);
  }
  if (init.as<Outside>()) return call_value(init, shape_and_type, at);
  if (init.as<None>()) init = {ir::Expr(0)};
  if (!init.number()) return init;
  shape_and_type.positional.push_back(init);
  return call_value({Outside{"torch.full", nullptr}}, shape_and_type, at);
}

// program(x, y), program.compile(x, y) or program.lower(x, y): the arguments say what the parameters are. A compiled
// program may also be called with its inputs alone.
Value Interpreter::start_program(const Function& f, const CallValues& args, At at, bool compiles) {
  std::vector<Value> specs;
  std::vector<const Parameter*> parameters = entry_parameters(*f.def);
  if (args.positional.size() < parameters.size())
    if (auto inputs = without_outputs(parameters); inputs.size() == args.positional.size())
      parameters = std::move(inputs);
  std::size_t i = 0;
  for (const Parameter* parameter : parameters) {
    const Parameter& p = *parameter;
    const Value* value = args.find(i++, p.name);
    if (!value) continue;
    Object spec = new_object();
    spec.set("name", {std::string(p.name)});
    const bool scalar = value->number().has_value();
    if (scalar) {
      spec.set("value", *value);
    } else if (value->as<Unknown>()) {
      spec.set("shape", *value);
    } else {
      if (!value->as<Made>()) continue;
      spec.set("shape", member(*value, "shape", at));
      spec.set("dtype", member(*value, "dtype", at));
      spec.set("init_value", *value);
    }
    specs.push_back(remember_spec(std::move(spec), scalar, at));
  }
  remember_launch({f}, {List::of(std::move(specs))});
  world_.launches.back().compiles = compiles;
  if (compiles) return {f};
  return unknown(fmt::format("what {} computes", f.def->name), place(at));
}

std::optional<Value> Interpreter::call_parser(std::string_view method, const Value& options,
                                              const CallValues& args, At at) {
  std::vector<Value>& list = *options.as<List>()->data;
  const auto group = [&] {
    Object out = new_object();
    out.set("add_argument",
            {Outside{"argparse.add_argument", std::make_shared<const Value>(options)}});
    return Value{std::move(out)};
  };
  if (method == "add_argument_group" || method == "add_mutually_exclusive_group") return group();
  if (method == "add_argument") {
    const std::string name = destination(args);
    const Value* action = args.find(SIZE_MAX, "action");
    const auto* kind = action ? action->as<std::string>() : nullptr;
    const Value* initial = args.find(SIZE_MAX, "default");
    Value value = initial                           ? *initial
                  : kind && *kind == "store_true"  ? Value{false}
                  : kind && *kind == "store_false" ? Value{true}
                                                   : Value{None{}};
    world_.offer(name, value);
    world_.options.push_back({name, other_values(args, value)});
    if (const Value* said = world_.option(name)) value = *said;
    list.push_back({List::of({{name}, value}, true)});
    return Value{None{}};
  }
  if (method == "error")
    throw PythonRaise{place(at),
                      args.positional.empty()
                          ? std::string()
                          : python_text(args.positional[0], false).value_or(std::string()),
                      false};
  if (method == "set_defaults") return Value{None{}};
  Object out = new_object();
  for (const Value& option : list) {
    const std::vector<Value>& pair = option.as<List>()->items();
    out.set(*pair[0].as<std::string>(), pair[1]);
  }
  if (method == "parse_args") return Value{std::move(out)};
  if (method == "parse_known_args")
    return Value{List::of({{std::move(out)}, {List::of({})}}, true)};
  return unknown(fmt::format("argparse.{} is not evaluated", method), place(at));
}

}  // namespace tilewright::frontend
