#include "tilewright/frontend/evaluate/torch.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tilewright/base/rng.h"

namespace tilewright::frontend {
namespace {

using Kind = Initialiser::Kind;
using Numbers = std::vector<double>;

constexpr int64_t kMostNumbers = 1 << 21;  // elements that are kept one by one

Value made(Shape shape, std::optional<DType> dtype, std::optional<Initialiser> init) {
  return {Made{std::make_shared<TorchTensor>(
      TorchTensor{std::move(shape), dtype, std::move(init)})}};
}

Initialiser of_numbers(Numbers numbers) {
  Initialiser init{Kind::Values};
  init.values = std::make_shared<Numbers>(std::move(numbers));
  return init;
}

// Sizes: (2, 3), ([2, 3]) or ((2, 3),), from position `first` on.
std::optional<Shape> sizes(const CallValues& args, std::size_t first) {
  std::vector<Value> list;
  if (first < args.positional.size()) {
    if (const auto* l = args.positional[first].as<List>())
      list = l->items();
    else
      list.assign(args.positional.begin() + static_cast<std::ptrdiff_t>(first),
                  args.positional.end());
  } else if (const Value* size = args.find(SIZE_MAX, "size"); size && size->as<List>()) {
    list = size->as<List>()->items();
  }
  Shape shape;
  for (const Value& v : list) {
    const auto d = v.integer();
    if (!d || *d < 0) return std::nullopt;
    shape.push_back(*d);
  }
  return shape;
}

std::optional<DType> dtype_argument(const CallValues& args) {
  const Value* v = args.find(SIZE_MAX, "dtype");
  return v ? torch_dtype(*v) : std::nullopt;
}

// The elements one by one; nothing when there are too many or they are not known. Random integers
// are drawn here with a seed of their own.
std::optional<Numbers> numbers_of(const TorchTensor& t) {
  const int64_t n = element_count(t.shape);
  if (!t.init || n < 0 || n > kMostNumbers) return std::nullopt;
  const Initialiser& i = *t.init;
  if (i.kind == Kind::Values) {
    if (static_cast<int64_t>(i.values->size()) != n) return std::nullopt;
    return *i.values;
  }
  Numbers out(static_cast<std::size_t>(n));
  if (i.kind == Kind::Constant) {
    std::ranges::fill(out, i.scale * i.shift);
  } else if (i.kind == Kind::Counting) {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = i.scale * (static_cast<double>(k) + i.shift);
  } else if (i.kind == Kind::Integers && i.high > i.low) {
    Rng rng(static_cast<uint64_t>(n));
    for (double& v : out)
      v = static_cast<double>(i.low + static_cast<int64_t>(rng.next() %
                                                           static_cast<uint64_t>(i.high - i.low)));
  } else {
    return std::nullopt;
  }
  return out;
}

// The elements for changing, which nobody else sees; null when they are not known.
Numbers* own_numbers(TorchTensor& t) {
  const bool own = t.init && t.init->kind == Kind::Values && t.init->values.use_count() == 1;
  if (!own) {
    auto numbers = numbers_of(t);
    if (!numbers) return nullptr;
    t.init = of_numbers(std::move(*numbers));
  }
  return t.init->values.get();
}

// Nested lists of numbers as one row of numbers with a shape.
bool flatten(const Value& v, std::size_t depth, Shape& shape, Numbers& out) {
  if (const auto d = v.number()) {
    out.push_back(*d);
    return depth == shape.size() && static_cast<int64_t>(out.size()) <= kMostNumbers;
  }
  if (const auto* m = v.as<Made>()) {
    const auto n = numbers_of(*m->tensor);
    if (!n) return false;
    if (out.empty() && depth == shape.size())
      shape.insert(shape.end(), m->tensor->shape.begin(), m->tensor->shape.end());
    out.insert(out.end(), n->begin(), n->end());
    return static_cast<int64_t>(out.size()) <= kMostNumbers;
  }
  const auto* list = v.as<List>();
  if (!list || depth > 8) return false;
  const auto size = static_cast<int64_t>(list->items().size());
  if (depth == shape.size()) shape.push_back(size);
  if (depth >= shape.size() || shape[depth] != size) return false;
  return std::ranges::all_of(list->items(),
                             [&](const Value& x) { return flatten(x, depth + 1, shape, out); });
}

std::optional<double> arithmetic(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/" && b != 0) return a / b;
  if (op == "//" && b != 0) return std::floor(a / b);
  if (op == "%" && b != 0) return a - b * std::floor(a / b);
  if (op == "**") return std::pow(a, b);
  return std::nullopt;
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

Shape broadcast(const Shape& a, const Shape& b) {
  Shape out = a.size() >= b.size() ? a : b;
  const Shape& other = a.size() >= b.size() ? b : a;
  const std::size_t missing = out.size() - other.size();
  for (std::size_t d = 0; d < other.size(); ++d)
    out[d + missing] = std::max(out[d + missing], other[d]);
  return out;
}

// The shape of tensors joined along a dimension, or stacked along a new one.
std::optional<Shape> joined_shape(const List& list, const Value* dimension, bool stack) {
  Shape out;
  for (const Value& v : list.items()) {
    const auto* m = v.as<Made>();
    if (!m) return std::nullopt;
    const Shape& shape = m->tensor->shape;
    if (&v == list.items().data()) {
      out = shape;
      if (!stack) continue;
    }
    if (stack || shape.size() != out.size()) continue;
    const int64_t rank = static_cast<int64_t>(out.size());
    int64_t d = dimension ? dimension->integer().value_or(0) : 0;
    if (d < 0) d += rank;
    if (d < 0 || d >= rank) return std::nullopt;
    out[static_cast<std::size_t>(d)] += shape[static_cast<std::size_t>(d)];
  }
  if (!stack) return out;
  int64_t d = dimension ? dimension->integer().value_or(0) : 0;
  if (d < 0) d += static_cast<int64_t>(out.size()) + 1;
  if (d < 0 || d > static_cast<int64_t>(out.size())) return std::nullopt;
  out.insert(out.begin() + d, static_cast<int64_t>(list.items().size()));
  return out;
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
  if (const auto d = v.number()) return Initialiser{Kind::Constant, 1, *d, 0, 0, nullptr};
  if (const auto* o = v.as<Outside>()) {
    const auto plain = torch_call(o->path.starts_with("torch.") ? o->path.substr(6) : "", {});
    if (plain && plain->as<Made>()) return plain->as<Made>()->tensor->init;
  }
  if (const auto* l = v.as<List>()) {
    Shape shape;
    Numbers numbers;
    if (flatten({*l}, 0, shape, numbers)) return of_numbers(std::move(numbers));
  }
  return std::nullopt;
}

std::optional<Value> torch_call(const std::string& name, const CallValues& args) {
  const auto dtype = dtype_argument(args);
  const auto like = [&](std::string_view plain) { return name == std::string(plain) + "_like"; };
  const auto shape_of_like = [&]() -> std::optional<Shape> {
    const auto* m = args.positional.empty() ? nullptr : args.positional[0].as<Made>();
    return m ? std::optional(m->tensor->shape) : std::nullopt;
  };
  const std::pair<std::string_view, Initialiser> kPlain[] = {
      {"rand", {Kind::Uniform}},       {"randn", {Kind::Normal}},
      {"zeros", {Kind::Constant, 1, 0, 0, 0, nullptr}}, {"ones", {Kind::Constant, 1, 1, 0, 0, nullptr}},
      {"empty", {Kind::Constant, 1, 0, 0, 0, nullptr}}};
  for (const auto& [word, init] : kPlain) {
    const auto shape = name == word ? sizes(args, 0) : like(word) ? shape_of_like() : std::nullopt;
    if (name == word || like(word))
      return shape ? std::optional(made(*shape, dtype, init)) : std::nullopt;
  }
  if (name == "full" || name == "full_like") {
    const Value* fill = args.find(1, "fill_value");
    const auto c = fill ? fill->number() : std::nullopt;
    const auto shape = name == "full" ? sizes({args.positional.empty() ? std::vector<Value>{}
                                                   : std::vector<Value>{args.positional[0]},
                                               args.keywords},
                                              0)
                                      : shape_of_like();
    if (!c || !shape) return std::nullopt;
    return made(*shape, dtype, Initialiser{Kind::Constant, 1, *c, 0, 0, nullptr});
  }
  if (name == "arange" && !args.positional.empty()) {
    std::vector<double> b;
    for (const Value& v : args.positional) {
      if (!v.number()) return std::nullopt;
      b.push_back(*v.number());
    }
    const double start = b.size() > 1 ? b[0] : 0;
    const double stop = b.size() > 1 ? b[1] : b[0];
    const double step = b.size() > 2 ? b[2] : 1;
    const double count = step != 0 ? std::ceil((stop - start) / step) : -1;
    if (!(count >= 0 && count <= static_cast<double>(kMostNumbers))) return std::nullopt;
    const Shape shape{static_cast<int64_t>(count)};
    return made(shape, dtype, Initialiser{Kind::Counting, step, start / step, 0, 0, nullptr});
  }
  if (name == "randint") {
    const std::size_t n = args.positional.size();
    const bool has_low = n >= 2 && args.positional[1].integer().has_value();
    const Value* low = has_low ? args.find(0, "low") : args.find(SIZE_MAX, "low");
    const Value* high = args.find(has_low ? 1 : 0, "high");
    const auto shape = sizes(args, has_low ? 2 : 1);
    if (!high || !high->integer() || !shape || (low && !low->integer())) return std::nullopt;
    return made(*shape, dtype,
                Initialiser{Kind::Integers, 1, 0, low ? *low->integer() : 0, *high->integer(),
                            nullptr});
  }
  if ((name == "tensor" || name == "as_tensor") && !args.positional.empty()) {
    Shape shape;
    Numbers numbers;
    if (!flatten(args.positional[0], 0, shape, numbers)) return std::nullopt;
    return made(std::move(shape), dtype, of_numbers(std::move(numbers)));
  }
  if ((name == "stack" || name == "cat") && !args.positional.empty() &&
      args.positional[0].as<List>()) {
    const Value* dim = args.find(1, "dim");
    const auto joined = joined_shape(*args.positional[0].as<List>(), dim, name == "stack");
    const auto by_shape = [&]() -> std::optional<Value> {
      return joined ? std::optional(made(*joined, dtype, std::nullopt)) : std::nullopt;
    };
    if (dim && dim->integer() != 0) return by_shape();
    Shape shape;
    Numbers numbers;
    if (!flatten(args.positional[0], 0, shape, numbers)) return by_shape();
    if (name == "cat" && shape.size() >= 2) {
      int64_t rows = 0;
      for (const Value& v : args.positional[0].as<List>()->items())
        rows += v.as<Made>() ? v.as<Made>()->tensor->shape[0] : 0;
      shape.erase(shape.begin());
      shape[0] = rows;
    }
    if (element_count(shape) != static_cast<int64_t>(numbers.size())) return by_shape();
    return made(std::move(shape), dtype, of_numbers(std::move(numbers)));
  }
  if (const Value* first = args.find(0, "input"); first && first->as<Made>())
    return torch_method(*first->as<Made>(), name,
                        {{args.positional.begin() + 1, args.positional.end()}, args.keywords});
  return std::nullopt;
}

std::optional<Value> torch_member(const Made& m, std::string_view name) {
  if (name == "shape") {
    std::vector<Value> dims;
    for (int64_t d : m.tensor->shape) dims.push_back({ir::Expr(d)});
    return Value{List::of(std::move(dims), true)};
  }
  if (name == "dtype") return Value{m.tensor->dtype.value_or(DType::F32)};
  if (name == "T" && m.tensor->shape.size() == 2)
    return torch_method(m, "transpose", {});
  if (name == "ndim") return Value{ir::Expr(static_cast<int64_t>(m.tensor->shape.size()))};
  return std::nullopt;
}

std::optional<Value> torch_number(const Made& m) {
  if (element_count(m.tensor->shape) != 1) return std::nullopt;
  const auto n = numbers_of(*m.tensor);
  if (!n) return std::nullopt;
  if ((*n)[0] == std::floor((*n)[0]) && std::abs((*n)[0]) < 0x1p52)
    return Value{ir::Expr(static_cast<int64_t>((*n)[0]))};
  return Value{(*n)[0]};
}

namespace {

std::optional<DType> dtype_of_method(std::string_view method) {
  constexpr std::pair<std::string_view, DType> kMethods[] = {
      {"float", DType::F32}, {"half", DType::F16}, {"bfloat16", DType::BF16},
      {"int", DType::I32},   {"long", DType::I64}, {"bool", DType::Bool}};
  for (const auto& [name, type] : kMethods)
    if (name == method) return type;
  return std::nullopt;
}

// The shape after reshape or view, where one size may be -1.
std::optional<Shape> reshaped(const Shape& from, const CallValues& args) {
  std::vector<Value> list = args.positional;
  if (list.size() == 1 && list[0].as<List>()) list = std::vector<Value>(list[0].as<List>()->items());
  Shape out;
  int64_t known = 1;
  std::ptrdiff_t open = -1;
  for (const Value& v : list) {
    const auto d = v.integer();
    if (!d) return std::nullopt;
    if (*d < 0)
      open = static_cast<std::ptrdiff_t>(out.size());
    else
      known *= std::max<int64_t>(*d, 1);
    out.push_back(*d);
  }
  if (open >= 0) out[static_cast<std::size_t>(open)] = element_count(from) / known;
  return out;
}

// Methods whose values are not followed: the shape of the result.
std::optional<Value> shape_of_method(const TorchTensor& t, std::string_view method,
                                     const CallValues& args) {
  constexpr std::string_view kSame[] = {
      "cos",  "sin",   "exp",   "log",  "sqrt",  "rsqrt", "abs",   "neg",   "round", "floor", "ceil",
      "trunc", "tanh", "sigmoid", "relu", "square", "reciprocal", "pow", "clamp", "clamp_min",
      "clamp_max", "softmax", "flip", "roll", "add", "sub", "mul", "div", "mul_", "add_", "div_",
      "masked_fill", "cumsum", "copy_", "zero_", "sort"};
  if (std::ranges::find(kSame, method) != std::end(kSame))
    return made(t.shape, t.dtype, std::nullopt);
  const auto axis = [&](const Value* v) -> std::optional<std::size_t> {
    const auto i = v ? v->integer() : std::nullopt;
    const auto rank = static_cast<int64_t>(t.shape.size());
    if (!i || *i < -rank || *i >= rank) return std::nullopt;
    return static_cast<std::size_t>(*i < 0 ? *i + rank : *i);
  };
  if (method == "amax" || method == "amin" || method == "sum" || method == "mean") {
    const auto d = axis(args.find(0, "dim"));
    if (!d) return std::nullopt;
    Shape shape = t.shape;
    const Value* keep = args.find(1, "keepdim");
    if (keep && keep->as<bool>() && *keep->as<bool>())
      shape[*d] = 1;
    else
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*d));
    return made(shape, t.dtype, std::nullopt);
  }
  if (method == "squeeze") {
    Shape shape = t.shape;
    const auto d = axis(args.find(0, "dim"));
    if (d && shape[*d] == 1) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*d));
    if (args.positional.empty()) std::erase(shape, 1);
    return made(shape, t.dtype, t.init);
  }
  if (method == "t" || method == "transpose") {
    Shape shape = t.shape;
    const auto a = axis(args.find(0, "dim0")), b = axis(args.find(1, "dim1"));
    if (a && b)
      std::swap(shape[*a], shape[*b]);
    else if (shape.size() == 2)
      std::swap(shape[0], shape[1]);
    return made(shape, t.dtype, std::nullopt);
  }
  if (method == "permute" || method == "repeat" || method == "expand") {
    std::vector<Value> list = args.positional;
    if (list.size() == 1 && list[0].as<List>()) list = std::vector<Value>(list[0].as<List>()->items());
    if (list.size() < t.shape.size()) return std::nullopt;
    Shape shape;
    const std::size_t missing = list.size() - t.shape.size();
    for (std::size_t d = 0; d < list.size(); ++d) {
      const auto n = list[d].integer();
      if (!n) return std::nullopt;
      const int64_t own = d < missing ? 1 : t.shape[d - missing];
      if (method == "permute") {
        const auto from = axis(&list[d]);
        if (!from) return std::nullopt;
        shape.push_back(t.shape[*from]);
      } else {
        shape.push_back(method == "repeat" ? own * *n : *n < 0 ? own : *n);
      }
    }
    return made(shape, t.dtype, std::nullopt);
  }
  if (method == "repeat_interleave" || method == "chunk" || method == "unbind") return std::nullopt;
  return std::nullopt;
}

}  // namespace

std::optional<Value> torch_method(const Made& m, std::string_view method, const CallValues& args) {
  TorchTensor copy = *m.tensor;
  const auto done = [&] { return made(std::move(copy.shape), copy.dtype, std::move(copy.init)); };
  if (const auto type = dtype_of_method(method)) {
    copy.dtype = type;
    return done();
  }
  if (method == "to" || method == "type") {
    for (const Value& v : args.positional)
      if (const auto type = torch_dtype(v)) copy.dtype = type;
    if (const auto type = dtype_argument(args)) copy.dtype = type;
    return done();
  }
  if (method == "clone" || method == "contiguous" || method == "cpu" || method == "detach" ||
      method == "requires_grad_" || method == "share_memory_" || method == "npu")
    return done();
  if (method == "reshape" || method == "view") {
    const auto shape = reshaped(copy.shape, args);
    if (!shape) return std::nullopt;
    copy.shape = *shape;
    return done();
  }
  if (method == "flatten" && args.positional.empty()) {
    copy.shape = {element_count(copy.shape)};
    return done();
  }
  if (method == "unsqueeze" && args.positional.size() == 1 && args.positional[0].integer()) {
    const int64_t rank = static_cast<int64_t>(copy.shape.size());
    int64_t at = *args.positional[0].integer();
    if (at < 0) at += rank + 1;
    if (at < 0 || at > rank) return std::nullopt;
    copy.shape.insert(copy.shape.begin() + at, 1);
    return done();
  }
  const bool random = copy.init && (copy.init->kind == Kind::Uniform || copy.init->kind == Kind::Normal ||
                                    copy.init->kind == Kind::Constant);
  if ((method == "t" || method == "transpose") && random && copy.shape.size() >= 2) {
    std::size_t a = copy.shape.size() - 2, b = copy.shape.size() - 1;
    const auto axis = [&](const Value& v) {
      const int64_t i = v.integer().value_or(0);
      const auto rank = static_cast<int64_t>(copy.shape.size());
      return static_cast<std::size_t>(std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank - 1));
    };
    if (args.positional.size() == 2) {
      a = axis(args.positional[0]);
      b = axis(args.positional[1]);
    }
    std::swap(copy.shape[a], copy.shape[b]);
    return done();
  }
  if (method == "size") {
    if (args.positional.empty()) return torch_member(m, "shape");
    const auto i = args.positional[0].integer();
    const auto rank = static_cast<int64_t>(copy.shape.size());
    if (!i || *i < -rank || *i >= rank) return std::nullopt;
    return Value{ir::Expr(copy.shape[static_cast<std::size_t>(*i < 0 ? *i + rank : *i)])};
  }
  if (method == "numel") return Value{ir::Expr(element_count(copy.shape))};
  if (method == "dim") return Value{ir::Expr(static_cast<int64_t>(copy.shape.size()))};
  if (method == "item") return torch_number(m);
  const auto numbers = numbers_of(copy);
  if (method == "tolist" && numbers && copy.shape.size() == 1) {
    std::vector<Value> out;
    for (double v : *numbers)
      out.push_back(v == std::floor(v) ? Value{ir::Expr(static_cast<int64_t>(v))} : Value{v});
    return Value{List::of(std::move(out))};
  }
  if ((method == "max" || method == "min" || method == "sum") && args.positional.empty() &&
      numbers && !numbers->empty()) {
    double v = (*numbers)[0];
    for (std::size_t i = 1; i < numbers->size(); ++i)
      v = method == "max"   ? std::max(v, (*numbers)[i])
          : method == "min" ? std::min(v, (*numbers)[i])
                            : v + (*numbers)[i];
    return made({}, copy.dtype, of_numbers({v}));
  }
  if ((method == "clamp" || method == "clip") && numbers) {
    const Value* low = args.find(0, "min");
    const Value* high = args.find(1, "max");
    Numbers out = *numbers;
    for (double& v : out) {
      if (low && low->number()) v = std::max(v, *low->number());
      if (high && high->number()) v = std::min(v, *high->number());
    }
    copy.init = of_numbers(std::move(out));
    return done();
  }
  if (method == "fill_" && args.positional.size() == 1 && args.positional[0].number()) {
    m.tensor->init = Initialiser{Kind::Constant, 1, *args.positional[0].number(), 0, 0, nullptr};
    return Value{m};
  }
  if (method == "normal_" || method == "uniform_") {
    const Value* a = args.find(0, method == "normal_" ? "mean" : "from");
    const Value* b = args.find(1, method == "normal_" ? "std" : "to");
    Initialiser init{method == "normal_" ? Kind::Normal : Kind::Uniform};
    const double low = a && a->number() ? *a->number() : 0;
    const double high = b && b->number() ? *b->number() : 1;
    init.scale = method == "normal_" ? high : high - low;
    if (init.scale != 0) init.shift = low / init.scale;
    m.tensor->init = init;
    return Value{m};
  }
  if (method == "manual_seed") return Value{m};
  return shape_of_method(copy, method, args);
}

std::optional<Value> torch_operation(std::string_view op, const Value& a, const Value& b) {
  const auto* ma = a.as<Made>();
  const auto* mb = b.as<Made>();
  const TorchTensor& t = ma ? *ma->tensor : *mb->tensor;
  const auto c = ma ? b.number() : a.number();
  if (ma && mb) {
    const auto na = numbers_of(*ma->tensor);
    const auto nb = numbers_of(*mb->tensor);
    const Shape shape = broadcast(ma->tensor->shape, mb->tensor->shape);
    if (!na || !nb || (na->size() != nb->size() && na->size() != 1 && nb->size() != 1))
      return made(shape, t.dtype, std::nullopt);
    Numbers out(std::max(na->size(), nb->size()));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto v = arithmetic(op, (*na)[na->size() == 1 ? 0 : i], (*nb)[nb->size() == 1 ? 0 : i]);
      if (!v) return std::nullopt;
      out[i] = *v;
    }
    return made(shape, t.dtype, of_numbers(std::move(out)));
  }
  if (!c || !t.init) return made(t.shape, t.dtype, std::nullopt);
  if (auto init = scaled(*t.init, op, *c, ma != nullptr)) return made(t.shape, t.dtype, init);
  auto numbers = numbers_of(t);
  if (!numbers) return made(t.shape, t.dtype, std::nullopt);
  for (double& v : *numbers) {
    const auto r = ma ? arithmetic(op, v, *c) : arithmetic(op, *c, v);
    if (!r) return std::nullopt;
    v = *r;
  }
  return made(t.shape, t.dtype, of_numbers(std::move(*numbers)));
}

Value torch_negated(const Made& m) {
  const Value minus{ir::Expr(-1)};
  return torch_operation("*", {m}, minus).value_or(made(m.tensor->shape, m.tensor->dtype, {}));
}

void torch_forget(const Made& m) { m.tensor->init.reset(); }

// ---- parts -------------------------------------------------------------------------------------

std::optional<TorchIndex> torch_index(const Expr& subscript,
                                      const std::function<Value(const Expr&)>& evaluate) {
  TorchIndex out;
  for (std::size_t i = 1; i < subscript.parts.size(); ++i) {
    const Expr& part = *subscript.parts[i];
    TorchIndex::Part p;
    if (part.kind == ExprKind::Slice) {
      p.sliced = true;
      if (part.parts[2]) return std::nullopt;
      for (std::size_t k = 0; k < 2; ++k) {
        if (!part.parts[k]) continue;
        const auto bound = evaluate(*part.parts[k]).integer();
        if (!bound) return std::nullopt;
        (k == 0 ? p.low : p.high) = bound;
      }
    } else {
      if (part.kind == ExprKind::Ellipsis) return std::nullopt;
      p.low = evaluate(part).integer();
      if (!p.low) return std::nullopt;
    }
    out.parts.push_back(p);
  }
  return out;
}

namespace {

// The elements that an index reaches, as places in the row of numbers, and the shape they form.
struct Reached {
  Shape shape;
  std::vector<std::size_t> places;
};

std::optional<Reached> reach(const Shape& shape, const TorchIndex& index) {
  if (index.parts.size() > shape.size() || element_count(shape) > kMostNumbers) return std::nullopt;
  Reached out;
  out.places = {0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const int64_t size = shape[d];
    TorchIndex::Part p;
    p.sliced = true;
    if (d < index.parts.size()) p = index.parts[d];
    const auto clip = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
    int64_t low = p.low ? (p.sliced ? clip(*p.low) : (*p.low < 0 ? *p.low + size : *p.low)) : 0;
    int64_t high = p.sliced ? (p.high ? clip(*p.high) : size) : low + 1;
    if (!p.sliced && (low < 0 || low >= size)) return std::nullopt;
    high = std::max(low, high);
    if (p.sliced) out.shape.push_back(high - low);
    std::vector<std::size_t> next;
    for (std::size_t base : out.places)
      for (int64_t i = low; i < high; ++i)
        next.push_back(base * static_cast<std::size_t>(size) + static_cast<std::size_t>(i));
    out.places = std::move(next);
  }
  return out;
}

}  // namespace

std::optional<Value> torch_item(const Made& m, const TorchIndex& index) {
  const TorchTensor& t = *m.tensor;
  const auto numbers = numbers_of(t);
  if (!numbers) {
    if (index.parts.size() > t.shape.size()) return std::nullopt;
    TorchTensor part = t;  // a part of a distribution is distributed like the whole
    part.shape.clear();
    for (std::size_t d = 0; d < t.shape.size(); ++d) {
      if (d >= index.parts.size()) {
        part.shape.push_back(t.shape[d]);
      } else if (const auto& p = index.parts[d]; p.sliced) {
        const auto clip = [&](int64_t i) {
          return std::clamp<int64_t>(i < 0 ? i + t.shape[d] : i, 0, t.shape[d]);
        };
        const int64_t low = p.low ? clip(*p.low) : 0;
        part.shape.push_back(std::max<int64_t>(0, (p.high ? clip(*p.high) : t.shape[d]) - low));
      }
    }
    return made(part.shape, part.dtype, part.init);
  }
  auto reached = reach(t.shape, index);
  if (!reached) return std::nullopt;
  Numbers out;
  for (std::size_t place : reached->places) out.push_back((*numbers)[place]);
  return made(std::move(reached->shape), t.dtype, of_numbers(std::move(out)));
}

bool torch_assign(const Made& m, const TorchIndex& index, const Value& value) {
  TorchTensor& t = *m.tensor;
  Numbers* numbers = own_numbers(t);
  const auto reached = reach(t.shape, index);
  if (!numbers || !reached) return false;
  Numbers source;
  if (const auto d = value.number()) {
    source = {*d};
  } else if (const auto* other = value.as<Made>()) {
    const auto n = numbers_of(*other->tensor);
    if (!n) return false;
    source = *n;
  } else {
    return false;
  }
  if (source.size() != 1 && source.size() != reached->places.size()) return false;
  for (std::size_t i = 0; i < reached->places.size(); ++i)
    (*numbers)[reached->places[i]] = source[source.size() == 1 ? 0 : i];
  return true;
}

}  // namespace tilewright::frontend
