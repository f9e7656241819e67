#include "tilewright/frontend/torch/torch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tilewright/frontend/torch/tensor.h"

namespace tilewright::frontend {
namespace {

std::optional<DType> type_of_method(std::string_view method) {
  constexpr std::pair<std::string_view, DType> kMethods[] = {
      {"float", DType::F32}, {"half", DType::F16}, {"bfloat16", DType::BF16}, {"double", DType::F32},
      {"int", DType::I32},   {"long", DType::I64}, {"bool", DType::Bool},     {"short", DType::I16}};
  for (const auto& [name, type] : kMethods)
    if (name == method) return type;
  return std::nullopt;
}

Value converted(const Made& m, DType type) {
  TorchTensor& t = *m.tensor;
  const bool loses = is_float(t.dtype) && !is_float(type);
  const bool truth = type == DType::Bool && t.dtype != DType::Bool;
  if (!loses && !truth) {
    Value out = *torch::change_layout(m, "reshape", {{{List::of(
                                                         torch_member(m, "shape")->as<List>()->items())}},
                                                     {}});
    out.as<Made>()->tensor->dtype = type;
    return out;
  }
  const torch::Numbers* n = torch::numbers_of(t);
  if (!n) return torch::tensor(t.shape, type, std::nullopt);
  torch::Numbers out;
  for (double v : *n) out.push_back(torch::as_type(v, type));
  return torch::tensor(t.shape, type, std::move(out));
}

// x.add_(y) and its relatives change x.
std::optional<Value> in_place(const Made& m, std::string_view method, const CallValues& args) {
  TorchTensor changed = *m.tensor;
  const auto finish = [&]() -> std::optional<Value> {
    torch::store(*m.tensor, changed);
    return Value{m};
  };
  const auto number = [&](std::size_t position, const char* name, double otherwise) {
    const Value* v = args.find(position, name);
    return v ? v->number().value_or(otherwise) : otherwise;
  };
  if (method == "fill_" || method == "zero_") {
    changed.init = torch::constant(method == "zero_" ? 0 : number(0, "value", 0));
    return finish();
  }
  if (method == "normal_" || method == "uniform_") {
    const bool normal = method == "normal_";
    const double low = number(0, normal ? "mean" : "from", 0);
    const double high = number(1, normal ? "std" : "to", 1);
    changed.init = Initialiser{normal ? torch::Kind::Normal : torch::Kind::Uniform};
    changed.init->scale = normal ? high : high - low;
    if (changed.init->scale != 0) changed.init->shift = low / changed.init->scale;
    return finish();
  }
  if (method == "random_" && args.positional.size() == 2) {
    changed.init = Initialiser{torch::Kind::Integers, 1, 0,
                               static_cast<int64_t>(number(0, "from", 0)),
                               static_cast<int64_t>(number(1, "to", 1)), nullptr};
    return finish();
  }
  std::optional<Value> result;
  if (method == "copy_")
    result = args.positional.empty() ? std::nullopt
                                     : torch_operation("+", torch::tensor(changed.shape, changed.dtype,
                                                                          torch::constant(0)),
                                                       args.positional[0]);
  else
    result = torch::elementwise(m, method.substr(0, method.size() - 1), args);
  const auto* made = result ? result->as<Made>() : nullptr;
  if (made && made->tensor->shape == changed.shape)
    changed.init = converted(*made, changed.dtype).as<Made>()->tensor->init;
  else
    changed.init.reset();
  return finish();
}

Value limits_of(DType type, bool real) {
  Object out{nullptr, std::make_shared<std::vector<std::pair<std::string, Value>>>()};
  if (real) {
    const double most = type == DType::F16    ? 65504.0
                        : type == DType::BF16 ? 0x1.FEp127
                                              : std::numeric_limits<float>::max();
    const double step = type == DType::F16 ? 0x1p-10 : type == DType::BF16 ? 0x1p-7 : 0x1p-23;
    out.set("max", {most});
    out.set("min", {-most});
    out.set("eps", {step});
    return {std::move(out)};
  }
  const bool positive = type == DType::U8 || type == DType::U32;
  const int width = std::min(bits(type), 63) - (positive ? 0 : 1);
  const int64_t most = width >= 62 ? INT64_MAX : (int64_t{1} << width) - 1;
  out.set("max", {ir::Expr(most)});
  out.set("min", {ir::Expr(positive ? 0 : -most - 1)});
  return {std::move(out)};
}

}  // namespace

std::optional<DType> torch_dtype(const Value& v) {
  if (const auto* d = v.as<DType>()) return *d;
  const auto* o = v.as<Outside>();
  if (!o) return std::nullopt;
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"torch.bfloat16", DType::BF16}, {"torch.float32", DType::F32}, {"torch.float", DType::F32},
      {"torch.float16", DType::F16},   {"torch.half", DType::F16},    {"torch.int32", DType::I32},
      {"torch.int", DType::I32},       {"torch.int64", DType::I64},   {"torch.long", DType::I64},
      {"torch.int8", DType::I8},       {"torch.uint8", DType::U8},    {"torch.int16", DType::I16},
      {"torch.bool", DType::Bool},     {"torch.uint32", DType::U32}};
  for (const auto& [name, type] : kTypes)
    if (name == o->path) return type;
  return std::nullopt;
}

std::optional<Initialiser> initialiser_of(const Value& v) {
  if (const auto* m = v.as<Made>()) return m->tensor->init;
  if (const auto d = v.number()) return torch::constant(*d);
  if (const auto* o = v.as<Outside>()) {
    const auto plain = torch_call(o->path.starts_with("torch.") ? o->path.substr(6) : "", {});
    if (plain && plain->as<Made>()) return plain->as<Made>()->tensor->init;
  }
  if (v.as<List>())
    if (const auto t = torch::tensor_argument(v)) return t->init;
  return std::nullopt;
}

std::optional<Value> torch_call(const std::string& name, const CallValues& args) {
  if (auto made = torch::create(name, args)) return made;
  const Value* first = args.find(0, "input");
  if (!first) first = args.find(0, "tensors");
  if (!first) return std::nullopt;
  if ((name == "stack" || name == "cat" || name == "concat") && first->as<List>())
    return torch::join(name, *first->as<List>(), args);
  if (name == "where" && args.positional.size() == 3) return torch::choose(args);
  if (auto p = torch::product(name, args)) return p;
  if (name == "finfo" || name == "iinfo")
    if (const auto type = torch_dtype(*first)) return limits_of(*type, name == "finfo");
  if (const auto* m = first->as<Made>())
    return torch_method(*m, name,
                        {{args.positional.begin() + (args.positional.empty() ? 0 : 1),
                          args.positional.end()},
                         args.keywords});
  // torch.maximum(0, x), torch.clamp(2.5, ...)
  if (auto t = torch::tensor_argument(*first))
    return torch::elementwise(Made{std::make_shared<TorchTensor>(std::move(*t))}, name,
                              {{args.positional.begin() + 1, args.positional.end()}, args.keywords});
  return std::nullopt;
}

std::optional<Value> torch_member(const Made& m, std::string_view name) {
  if (name == "shape") {
    std::vector<Value> dims;
    for (int64_t d : m.tensor->shape) dims.push_back({ir::Expr(d)});
    return Value{List::of(std::move(dims), true)};
  }
  if (name == "dtype") return Value{m.tensor->dtype};
  if (name == "T" && m.tensor->shape.size() == 2) return torch_method(m, "transpose", {});
  if (name == "ndim") return Value{ir::Expr(static_cast<int64_t>(m.tensor->shape.size()))};
  return std::nullopt;
}

std::optional<Value> torch_number(const Made& m) {
  if (element_count(m.tensor->shape) != 1) return std::nullopt;
  const torch::Numbers* n = torch::numbers_of(*m.tensor);
  if (!n) return std::nullopt;
  const double v = (*n)[0];
  if (m.tensor->dtype == DType::Bool) return Value{v != 0};
  if (!is_float(m.tensor->dtype) && std::abs(v) < 0x1p62)
    return Value{ir::Expr(static_cast<int64_t>(v))};
  return Value{v};
}

void torch_forget(const Made& m) {
  TorchTensor changed = *m.tensor;
  changed.init.reset();
  torch::store(*m.tensor, changed);
}

namespace {

std::optional<Value> as_lists(TorchTensor& t, const torch::Numbers& n, std::size_t depth,
                              std::size_t& at) {
  if (depth == t.shape.size()) {
    const double v = n[at++];
    if (t.dtype == DType::Bool) return Value{v != 0};
    return is_float(t.dtype) ? Value{v} : Value{ir::Expr(static_cast<int64_t>(v))};
  }
  std::vector<Value> out;
  for (int64_t i = 0; i < t.shape[depth]; ++i) out.push_back(*as_lists(t, n, depth + 1, at));
  return Value{List::of(std::move(out))};
}

}  // namespace

std::optional<Value> torch_method(const Made& m, std::string_view method, const CallValues& args) {
  TorchTensor& t = *m.tensor;
  if (const auto type = type_of_method(method)) return converted(m, *type);
  if (method == "to" || method == "type") {
    std::optional<DType> type = torch::dtype_argument(args);
    for (const Value& v : args.positional) {
      if (const auto* other = v.as<Made>()) type = other->tensor->dtype;
      if (const auto named = torch_dtype(v)) type = named;
    }
    return converted(m, type.value_or(t.dtype));
  }
  constexpr std::string_view kSame[] = {"contiguous", "cpu",  "detach",      "requires_grad_",
                                        "share_memory_", "npu", "manual_seed", "pin_memory"};
  if (std::ranges::find(kSame, method) != std::end(kSame)) return Value{m};
  if (method == "clone") return converted(m, t.dtype);
  if (method == "size") {
    if (!args.find(0, "dim")) return torch_member(m, "shape");
    const auto d = torch::axis(args.find(0, "dim"), t.shape.size());
    return d ? std::optional(Value{ir::Expr(t.shape[*d])}) : std::nullopt;
  }
  if (method == "numel") return Value{ir::Expr(element_count(t.shape))};
  if (method == "dim") return Value{ir::Expr(static_cast<int64_t>(t.shape.size()))};
  if (method == "item") return torch_number(m);
  if (method == "is_floating_point") return Value{is_float(t.dtype)};
  if (method == "tolist") {
    const torch::Numbers* n = torch::numbers_of(t);
    std::size_t at = 0;
    return n ? as_lists(t, *n, 0, at) : std::nullopt;
  }
  if (method == "index_fill_" || method == "index_copy_" || method == "scatter_" ||
      method == "scatter_add_" || method == "masked_fill_")
    return torch_forget(m), Value{m};
  if (method.ends_with('_') && !method.starts_with('_')) return in_place(m, method, args);
  if (auto v = torch::elementwise(m, method, args)) return v;
  if (auto v = torch::change_layout(m, method, args)) return v;
  if (auto v = torch::reduce(m, method, args)) return v;
  if (method == "matmul" || method == "mm" || method == "bmm" || method == "outer") {
    CallValues both = args;
    both.positional.insert(both.positional.begin(), {m});
    return torch::product(method, both);
  }
  return std::nullopt;
}

}  // namespace tilewright::frontend
