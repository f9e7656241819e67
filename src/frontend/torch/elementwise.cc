// Functions of each element, and of pairs of them with broadcasting.
#include <algorithm>
#include <cmath>

#include "tilewright/frontend/torch/tensor.h"

namespace tilewright::frontend::torch {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

struct UnaryFunction {
  std::string_view name;
  Unary function;
  std::optional<DType> result;  // nothing: that of the operand
};

const UnaryFunction kUnary[] = {
    {"exp", [](double x) { return std::exp(x); }, {}},
    {"log", [](double x) { return std::log(x); }, {}},
    {"log2", [](double x) { return std::log2(x); }, {}},
    {"sqrt", [](double x) { return std::sqrt(x); }, {}},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, {}},
    {"sin", [](double x) { return std::sin(x); }, {}},
    {"cos", [](double x) { return std::cos(x); }, {}},
    {"tanh", [](double x) { return std::tanh(x); }, {}},
    {"erf", [](double x) { return std::erf(x); }, {}},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, {}},
    {"silu", [](double x) { return x / (1 + std::exp(-x)); }, {}},
    {"softplus", [](double x) { return std::log1p(std::exp(x)); }, {}},
    {"relu", [](double x) { return std::max(x, 0.0); }, {}},
    {"abs", [](double x) { return std::abs(x); }, {}},
    {"neg", [](double x) { return -x; }, {}},
    {"square", [](double x) { return x * x; }, {}},
    {"reciprocal", [](double x) { return 1 / x; }, {}},
    {"round", [](double x) { return std::nearbyint(x); }, {}},
    {"floor", [](double x) { return std::floor(x); }, {}},
    {"ceil", [](double x) { return std::ceil(x); }, {}},
    {"trunc", [](double x) { return std::trunc(x); }, {}},
    {"sign", [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }, {}},
    {"isfinite", [](double x) { return std::isfinite(x) ? 1.0 : 0.0; }, DType::Bool},
    {"isnan", [](double x) { return std::isnan(x) ? 1.0 : 0.0; }, DType::Bool},
    {"isinf", [](double x) { return std::isinf(x) ? 1.0 : 0.0; }, DType::Bool},
    {"logical_not", [](double x) { return x == 0 ? 1.0 : 0.0; }, DType::Bool},
};

struct BinaryFunction {
  std::string_view name, sign;  // a.name(b), a sign b
  Binary function;
  std::optional<DType> result;  // nothing: what the operands have in common
};

// Integers of torch are divided by other numbers than 0; here that gives a NaN, which nobody uses.
double bitwise(double a, double b, int64_t (*f)(int64_t, int64_t)) {
  return static_cast<double>(f(static_cast<int64_t>(a), static_cast<int64_t>(b)));
}

const BinaryFunction kBinary[] = {
    {"add", "+", [](double a, double b) { return a + b; }, {}},
    {"sub", "-", [](double a, double b) { return a - b; }, {}},
    {"mul", "*", [](double a, double b) { return a * b; }, {}},
    {"div", "/", [](double a, double b) { return a / b; }, DType::F32},
    {"floor_divide", "//", [](double a, double b) { return std::floor(a / b); }, {}},
    {"remainder", "%", [](double a, double b) { return a - b * std::floor(a / b); }, {}},
    {"fmod", "", [](double a, double b) { return std::fmod(a, b); }, {}},
    {"pow", "**", [](double a, double b) { return std::pow(a, b); }, {}},
    {"maximum", "", [](double a, double b) { return std::max(a, b); }, {}},
    {"minimum", "", [](double a, double b) { return std::min(a, b); }, {}},
    {"eq", "==", [](double a, double b) { return a == b ? 1.0 : 0.0; }, DType::Bool},
    {"ne", "!=", [](double a, double b) { return a != b ? 1.0 : 0.0; }, DType::Bool},
    {"lt", "<", [](double a, double b) { return a < b ? 1.0 : 0.0; }, DType::Bool},
    {"le", "<=", [](double a, double b) { return a <= b ? 1.0 : 0.0; }, DType::Bool},
    {"gt", ">", [](double a, double b) { return a > b ? 1.0 : 0.0; }, DType::Bool},
    {"ge", ">=", [](double a, double b) { return a >= b ? 1.0 : 0.0; }, DType::Bool},
    {"logical_and", "", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }, DType::Bool},
    {"logical_or", "", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }, DType::Bool},
    {"bitwise_and", "&",
     [](double a, double b) { return bitwise(a, b, [](int64_t x, int64_t y) { return x & y; }); }, {}},
    {"bitwise_or", "|",
     [](double a, double b) { return bitwise(a, b, [](int64_t x, int64_t y) { return x | y; }); }, {}},
    {"bitwise_xor", "^",
     [](double a, double b) { return bitwise(a, b, [](int64_t x, int64_t y) { return x ^ y; }); }, {}},
    {"bitwise_left_shift", "<<", [](double a, double b) { return a * std::exp2(b); }, {}},
    {"bitwise_right_shift", ">>", [](double a, double b) { return std::floor(a / std::exp2(b)); }, {}},
};

std::optional<Value> unary(TorchTensor t, Unary f, DType dtype) {
  const Numbers* n = numbers_of(t);
  if (!n) return tensor(std::move(t.shape), dtype, std::nullopt);
  Numbers out(n->size());
  std::ranges::transform(*n, out.begin(), [&](double v) { return as_type(f(v), dtype); });
  return tensor(std::move(t.shape), dtype, std::move(out));
}

std::optional<Value> binary(TorchTensor a, TorchTensor b, Binary f, DType dtype) {
  const auto shape = broadcast(a.shape, b.shape);
  if (!shape) return std::nullopt;
  const Numbers* na = numbers_of(a);
  const Numbers* nb = numbers_of(b);
  if (!na || !nb || element_count(*shape) > kMostNumbers) return tensor(*shape, dtype, std::nullopt);
  const auto pa = places(*shape, broadcast_strides(a.shape, *shape));
  const auto pb = places(*shape, broadcast_strides(b.shape, *shape));
  Numbers out(static_cast<std::size_t>(element_count(*shape)));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = as_type(f((*na)[pa[i]], (*nb)[pb[i]]), dtype);
  return tensor(*shape, dtype, std::move(out));
}

// A number joins the tensor's type, unless it has a fraction.
DType type_with(const Value& a, const Value& b) {
  const auto* ma = a.as<Made>();
  const auto* mb = b.as<Made>();
  if (ma && mb) return common_type(ma->tensor->dtype, mb->tensor->dtype);
  const DType own = (ma ? ma : mb)->tensor->dtype;
  const Value& number = ma ? b : a;
  if (number.as<double>() && !is_float(own)) return DType::F32;
  return own == DType::Bool && !number.as<bool>() ? DType::I64 : own;
}

// scale * (numbers + shift) stays so under arithmetic with a constant.
std::optional<Initialiser> scaled(Initialiser init, std::string_view op, double c, bool left) {
  if (init.kind == Kind::Values || init.kind == Kind::Integers) return std::nullopt;
  if (op == "*") {
    init.scale *= c;
  } else if (op == "/" && left && c != 0) {
    init.scale /= c;
  } else if ((op == "+" || op == "-") && init.scale != 0) {
    if (op == "-" && !left) {
      init.scale = -init.scale;
      init.shift += c / init.scale;
    } else {
      init.shift += (op == "-" ? -c : c) / init.scale;
    }
  } else {
    return std::nullopt;
  }
  return init;
}

std::optional<Value> with_sign(const BinaryFunction& f, const Value& a, const Value& b) {
  DType dtype = f.result.value_or(type_with(a, b));
  const auto* m = a.as<Made>() ? a.as<Made>() : b.as<Made>();
  if (f.sign == "/" && is_float(m->tensor->dtype)) dtype = type_with(a, b);
  const auto c = a.as<Made>() ? b.number() : a.number();
  if (c && m->tensor->init)
    if (auto init = scaled(*m->tensor->init, f.sign, *c, a.as<Made>() != nullptr))
      return tensor(m->tensor->shape, dtype, std::move(init));
  auto ta = tensor_argument(a), tb = tensor_argument(b);
  if (!ta || !tb) return std::nullopt;
  return binary(std::move(*ta), std::move(*tb), f.function, dtype);
}

std::optional<Value> clamped(const Made& m, const Value* low, const Value* high) {
  Value out{m};
  for (const auto& [bound, name] : {std::pair{low, "maximum"}, std::pair{high, "minimum"}}) {
    if (!bound || bound->as<None>()) continue;
    const auto next = elementwise(*out.as<Made>(), name, {{*bound}, {}});
    if (!next) return std::nullopt;
    out = *next;
  }
  return out;
}

}  // namespace

std::optional<Value> choose(const CallValues& args) {
  if (args.positional.size() != 3) return std::nullopt;
  std::optional<TorchTensor> t[3];
  Shape shape;
  for (std::size_t i = 0; i < 3; ++i) {
    t[i] = tensor_argument(args.positional[i]);
    const auto next = t[i] ? broadcast(shape, t[i]->shape) : std::nullopt;
    if (!next) return std::nullopt;
    shape = *next;
  }
  const DType dtype = args.positional[1].as<Made>() || args.positional[2].as<Made>()
                          ? type_with(args.positional[1], args.positional[2])
                          : common_type(t[1]->dtype, t[2]->dtype);
  const Numbers* n[3];
  std::vector<std::size_t> p[3];
  for (std::size_t i = 0; i < 3; ++i) {
    n[i] = numbers_of(*t[i]);
    if (!n[i] || element_count(shape) > kMostNumbers) return tensor(shape, dtype, std::nullopt);
    p[i] = places(shape, broadcast_strides(t[i]->shape, shape));
  }
  Numbers out(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = (*n[0])[p[0][i]] != 0 ? (*n[1])[p[1][i]] : (*n[2])[p[2][i]];
  return tensor(shape, dtype, std::move(out));
}

std::optional<Value> elementwise(const Made& m, std::string_view name, const CallValues& args) {
  const TorchTensor& t = *m.tensor;
  for (const UnaryFunction& f : kUnary)
    if (f.name == name) {
      const auto operand = tensor_argument({m});
      const bool whole = name == "abs" || name == "neg" || name == "sign" || name == "square" ||
                         name == "round" || name == "floor" || name == "ceil" || name == "trunc" ||
                         name == "relu";
      return unary(*operand, f.function,
                   f.result.value_or(whole || is_float(t.dtype) ? t.dtype : DType::F32));
    }
  for (const BinaryFunction& f : kBinary)
    if (f.name == name && args.positional.size() == 1) return with_sign(f, {m}, args.positional[0]);
  if (name == "clamp" || name == "clip")
    return clamped(m, args.find(0, "min"), args.find(1, "max"));
  if (name == "clamp_min") return clamped(m, args.find(0, "min"), nullptr);
  if (name == "clamp_max") return clamped(m, nullptr, args.find(0, "max"));
  if (name == "masked_fill" && args.positional.size() == 2)
    return choose({{args.positional[0], args.positional[1], {m}}, {}});
  if (name == "where" && args.positional.size() == 2)
    return choose({{args.positional[0], {m}, args.positional[1]}, {}});
  if (name == "softmax") return tensor(t.shape, t.dtype, std::nullopt);
  return std::nullopt;
}

}  // namespace tilewright::frontend::torch

namespace tilewright::frontend {

std::optional<Value> torch_operation(std::string_view op, const Value& a, const Value& b) {
  if (op == "@") return torch::product("matmul", {{a, b}, {}});
  for (const torch::BinaryFunction& f : torch::kBinary)
    if (f.sign == op) return torch::with_sign(f, a, b);
  return std::nullopt;
}

Value torch_negated(const Made& m) {
  return torch_operation("*", {m}, {ir::Expr(-1)})
      .value_or(torch::tensor(m.tensor->shape, m.tensor->dtype, std::nullopt));
}

}  // namespace tilewright::frontend
