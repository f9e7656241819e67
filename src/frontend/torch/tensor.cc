#include "tilewright/frontend/torch/tensor.h"

#include <algorithm>
#include <cmath>

#include "tilewright/base/rng.h"

namespace tilewright::frontend::torch {
namespace {

bool draw(const Initialiser& i, Numbers& out) {
  Rng rng(out.size());
  std::size_t k = 0;
  for (double& v : out) {
    switch (i.kind) {
      case Kind::Constant: v = i.scale * i.shift; break;
      case Kind::Counting: v = i.scale * (static_cast<double>(k++) + i.shift); break;
      case Kind::Uniform: v = i.scale * (rng.uniform() + i.shift); break;
      case Kind::Normal: v = i.scale * (rng.normal() + i.shift); break;
      case Kind::Integers:
        if (i.high <= i.low) return false;
        v = static_cast<double>(rng.integer(i.low, i.high));
        break;
      case Kind::Values: return false;
    }
  }
  return true;
}

// Nested lists of numbers and tensors as one row of numbers with a shape.
bool flatten(const Value& v, std::size_t depth, TorchTensor& t, Numbers& out, bool& whole) {
  if (const auto d = v.number()) {
    whole = whole && !v.as<double>();
    out.push_back(*d);
    return depth == t.shape.size() && static_cast<int64_t>(out.size()) <= kMostNumbers;
  }
  if (const auto* m = v.as<Made>()) {
    const Numbers* n = numbers_of(*m->tensor);
    if (!n) return false;
    whole = whole && !is_float(m->tensor->dtype);
    if (out.empty() && depth == t.shape.size())
      t.shape.insert(t.shape.end(), m->tensor->shape.begin(), m->tensor->shape.end());
    out.insert(out.end(), n->begin(), n->end());
    return static_cast<int64_t>(out.size()) <= kMostNumbers;
  }
  const auto* list = v.as<List>();
  if (!list || depth > 8) return false;
  const auto size = static_cast<int64_t>(list->items().size());
  if (depth == t.shape.size()) t.shape.push_back(size);
  if (depth >= t.shape.size() || t.shape[depth] != size) return false;
  return std::ranges::all_of(list->items(),
                             [&](const Value& x) { return flatten(x, depth + 1, t, out, whole); });
}

}  // namespace

Value tensor(Shape shape, DType dtype, std::optional<Initialiser> init) {
  return {Made{std::make_shared<TorchTensor>(
      TorchTensor{std::move(shape), dtype, std::move(init), nullptr, {}})}};
}

Value tensor(Shape shape, DType dtype, Numbers numbers) {
  return tensor(std::move(shape), dtype, of_numbers(std::move(numbers)));
}

Initialiser constant(double value) { return {Kind::Constant, 1, value, 0, 0, nullptr}; }

Initialiser of_numbers(Numbers numbers) {
  Initialiser init{Kind::Values};
  init.values = std::make_shared<Numbers>(std::move(numbers));
  return init;
}

const Numbers* numbers_of(TorchTensor& t) {
  const int64_t n = element_count(t.shape);
  if (!t.init || n < 0 || n > kMostNumbers) return nullptr;
  const bool random = t.init->kind == Kind::Uniform || t.init->kind == Kind::Normal;
  if (random && n > kMostDrawn) return nullptr;
  if (t.init->kind != Kind::Values) {
    Numbers out(static_cast<std::size_t>(n));
    if (!draw(*t.init, out)) return nullptr;
    t.init = of_numbers(std::move(out));
  }
  return static_cast<int64_t>(t.init->values->size()) == n ? t.init->values.get() : nullptr;
}

void store(TorchTensor& t, const TorchTensor& value) {
  t.init = value.init;
  if (!t.whole) return;
  TorchTensor changed = *t.whole;
  const Numbers* part = numbers_of(t);
  const Numbers* all = part ? numbers_of(changed) : nullptr;
  if (all && part->size() == t.places.size()) {
    Numbers numbers = *all;
    for (std::size_t i = 0; i < part->size(); ++i) numbers[t.places[i]] = (*part)[i];
    changed.init = of_numbers(std::move(numbers));
  } else {
    changed.init.reset();
  }
  store(*t.whole, changed);
}

double as_type(double value, DType dtype) {
  if (is_float(dtype)) return value;
  return dtype == DType::Bool ? (value != 0 ? 1 : 0) : std::trunc(value);
}

DType common_type(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  if (is_float(a)) return DType::F32;
  if (a == DType::Bool || b == DType::Bool) return a == DType::Bool ? b : a;
  return bits(a) >= bits(b) ? a : b;
}

// ---- shapes ------------------------------------------------------------------------------------

std::vector<std::size_t> strides_of(const Shape& shape) {
  std::vector<std::size_t> out(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    out[d - 1] = out[d] * static_cast<std::size_t>(shape[d]);
  return out;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& other = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const std::size_t missing = longer.size() - other.size();
  for (std::size_t d = 0; d < other.size(); ++d) {
    int64_t& size = out[d + missing];
    if (size != other[d] && size != 1 && other[d] != 1) return std::nullopt;
    size = size == 1 ? other[d] : size;
  }
  return out;
}

std::vector<std::size_t> broadcast_strides(const Shape& from, const Shape& to) {
  const auto own = strides_of(from);
  std::vector<std::size_t> out(to.size(), 0);
  const std::size_t missing = to.size() - from.size();
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1) out[d + missing] = own[d];
  return out;
}

std::vector<std::size_t> places(const Shape& shape, const std::vector<std::size_t>& strides) {
  std::vector<std::size_t> out{0};
  out.reserve(static_cast<std::size_t>(std::max<int64_t>(element_count(shape), 1)));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::size_t> next;
    next.reserve(out.size() * static_cast<std::size_t>(shape[d]));
    for (std::size_t base : out)
      for (int64_t i = 0; i < shape[d]; ++i)
        next.push_back(base + static_cast<std::size_t>(i) * strides[d]);
    out = std::move(next);
  }
  return out;
}

// ---- arguments ---------------------------------------------------------------------------------

std::optional<std::size_t> axis(const Value* v, std::size_t rank) {
  const auto i = v ? v->integer() : std::nullopt;
  const auto n = static_cast<int64_t>(rank);
  if (!i || *i < -n || *i >= n) return std::nullopt;
  return static_cast<std::size_t>(*i < 0 ? *i + n : *i);
}

std::optional<Shape> integers(const CallValues& args, std::size_t first, std::string_view name) {
  std::vector<Value> list;
  const Value* named = args.find(SIZE_MAX, name);
  if (first < args.positional.size()) {
    if (const auto* l = args.positional[first].as<List>())
      list = l->items();
    else
      list.assign(args.positional.begin() + static_cast<std::ptrdiff_t>(first),
                  args.positional.end());
  } else if (named && named->as<List>()) {
    list = named->as<List>()->items();
  } else if (named) {
    list = {*named};
  }
  Shape out;
  for (const Value& v : list) {
    const auto d = v.integer();
    if (!d) return std::nullopt;
    out.push_back(*d);
  }
  return out;
}

bool flag(const CallValues& args, std::size_t position, std::string_view name) {
  const Value* v = args.find(position, name);
  return v && v->as<bool>() && *v->as<bool>();
}

std::optional<DType> dtype_argument(const CallValues& args) {
  const Value* v = args.find(SIZE_MAX, "dtype");
  return v ? torch_dtype(*v) : std::nullopt;
}

std::optional<TorchTensor> tensor_argument(const Value& v) {
  if (const auto* m = v.as<Made>()) {
    if (m->tensor->init && m->tensor->init->kind != Kind::Values) numbers_of(*m->tensor);
    return *m->tensor;
  }
  TorchTensor t;
  Numbers numbers;
  bool whole = true;
  if (!flatten(v, 0, t, numbers, whole)) return std::nullopt;
  t.dtype = v.as<bool>() ? DType::Bool : whole ? DType::I64 : DType::F32;
  t.init = of_numbers(std::move(numbers));
  return t;
}

const Made* made_argument(const CallValues& args, std::size_t position, std::string_view name) {
  const Value* v = args.find(position, name);
  return v ? v->as<Made>() : nullptr;
}

}  // namespace tilewright::frontend::torch
