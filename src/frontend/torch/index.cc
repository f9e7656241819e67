// x[...] of a torch tensor, read and written.
#include <algorithm>

#include "tilewright/frontend/torch/tensor.h"

namespace tilewright::frontend {
namespace torch {
namespace {

// One dimension of the result, or several that an index tensor forms: how far each of their
// elements lies from the start.
struct Axis {
  Shape shape;
  std::vector<std::size_t> offsets;
};

struct Reached {
  std::size_t base = 0;
  std::vector<Axis> axes;

  Shape shape() const {
    Shape out;
    for (const Axis& a : axes) out.insert(out.end(), a.shape.begin(), a.shape.end());
    return out;
  }
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> out{base};
    for (const Axis& a : axes) {
      std::vector<std::size_t> next;
      next.reserve(out.size() * a.offsets.size());
      for (std::size_t from : out)
        for (std::size_t by : a.offsets) next.push_back(from + by);
      out = std::move(next);
    }
    return out;
  }
};

std::size_t dimensions_of(const TorchIndex::Part& p) {
  if (p.kind == TorchIndex::Kind::NewAxis || p.kind == TorchIndex::Kind::Ellipsis) return 0;
  if (p.kind == TorchIndex::Kind::Tensor && p.tensor->dtype == DType::Bool)
    return p.tensor->shape.size();
  return 1;
}

std::optional<Axis> sliced(const TorchIndex::Part& p, int64_t size, std::size_t stride) {
  if (p.step <= 0) return std::nullopt;
  const auto clip = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  const int64_t low = p.low ? clip(*p.low) : 0;
  const int64_t high = p.high ? clip(*p.high) : size;
  Axis out;
  for (int64_t i = low; i < high; i += p.step)
    out.offsets.push_back(static_cast<std::size_t>(i) * stride);
  out.shape = {static_cast<int64_t>(out.offsets.size())};
  return out;
}

// Index tensors select together: their shapes are broadcast, and form one group of dimensions.
bool add_indices(Axis& group, TorchTensor& index, int64_t size, std::size_t stride) {
  const Numbers* n = numbers_of(index);
  const auto shape = broadcast(group.shape, index.shape);
  if (!n || !shape || element_count(*shape) > kMostNumbers) return false;
  const auto before = places(*shape, broadcast_strides(group.shape, *shape));
  const auto which = places(*shape, broadcast_strides(index.shape, *shape));
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const double v = (*n)[which[i]] < 0 ? (*n)[which[i]] + static_cast<double>(size) : (*n)[which[i]];
    if (v < 0 || v >= static_cast<double>(size)) return false;
    offsets.push_back(group.offsets[before[i]] + static_cast<std::size_t>(v) * stride);
  }
  group = {*shape, std::move(offsets)};
  return true;
}

std::optional<Reached> reach(const Shape& shape, const TorchIndex& index) {
  std::size_t used = 0;
  bool ellipsis = false;
  for (const auto& p : index.parts) {
    used += dimensions_of(p);
    ellipsis = ellipsis || p.kind == TorchIndex::Kind::Ellipsis;
  }
  if (used > shape.size()) return std::nullopt;
  std::vector<TorchIndex::Part> parts = index.parts;
  if (!ellipsis) parts.push_back({.kind = TorchIndex::Kind::Ellipsis});
  const auto strides = strides_of(shape);
  Reached out;
  std::optional<std::size_t> group;  // the axis of the index tensors
  std::size_t d = 0;
  for (const auto& p : parts) {
    switch (p.kind) {
      case TorchIndex::Kind::NewAxis: out.axes.push_back({{1}, {0}}); break;
      case TorchIndex::Kind::Ellipsis:
        for (std::size_t i = used; i < shape.size(); ++i, ++d)
          out.axes.push_back(*sliced({}, shape[d], strides[d]));
        break;
      case TorchIndex::Kind::Position: {
        const int64_t at = *p.low < 0 ? *p.low + shape[d] : *p.low;
        if (at < 0 || at >= shape[d]) return std::nullopt;
        out.base += static_cast<std::size_t>(at) * strides[d++];
        break;
      }
      case TorchIndex::Kind::Slice: {
        const auto a = sliced(p, shape[d], strides[d]);
        if (!a) return std::nullopt;
        out.axes.push_back(*a);
        ++d;
        break;
      }
      case TorchIndex::Kind::Tensor: {
        std::vector<TorchTensor> lists{*p.tensor};
        if (p.tensor->dtype == DType::Bool) {
          const auto rows = reduce(Made{p.tensor}, "nonzero", {{}, {{"as_tuple", {true}}}});
          if (!rows) return std::nullopt;
          lists.clear();
          for (const Value& v : rows->as<List>()->items()) lists.push_back(*v.as<Made>()->tensor);
        }
        if (!group) {
          group = out.axes.size();
          out.axes.push_back({{}, {0}});
        }
        for (TorchTensor& list : lists) {
          if (d >= shape.size() || !add_indices(out.axes[*group], list, shape[d], strides[d]))
            return std::nullopt;
          ++d;
        }
        break;
      }
    }
  }
  return out;
}

}  // namespace
}  // namespace torch

std::optional<TorchIndex> torch_index(const Expr& subscript,
                                      const std::function<Value(const Expr&)>& evaluate) {
  TorchIndex out;
  using Kind = TorchIndex::Kind;
  for (std::size_t i = 1; i < subscript.parts.size(); ++i) {
    const Expr& part = *subscript.parts[i];
    TorchIndex::Part p;
    if (part.kind == ExprKind::Slice) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (!part.parts[k]) continue;
        const Value v = evaluate(*part.parts[k]);
        if (v.as<None>()) continue;
        const auto bound = v.as<Made>() ? torch_number(*v.as<Made>()).value_or(v).integer()
                                        : v.integer();
        if (!bound) return std::nullopt;
        if (k == 2)
          p.step = *bound;
        else
          (k == 0 ? p.low : p.high) = bound;
      }
    } else if (part.kind == ExprKind::Ellipsis) {
      p.kind = Kind::Ellipsis;
    } else {
      const Value v = evaluate(part);
      if (v.as<None>()) {
        p.kind = Kind::NewAxis;
      } else if (v.as<Made>() || v.as<List>()) {
        p.kind = Kind::Tensor;
        auto t = torch::tensor_argument(v);
        if (!t) return std::nullopt;
        p.tensor = std::make_shared<TorchTensor>(std::move(*t));
      } else {
        p.kind = Kind::Position;
        p.low = v.integer();
        if (!p.low) return std::nullopt;
      }
    }
    out.parts.push_back(std::move(p));
  }
  return out;
}

std::optional<Value> torch_item(const Made& m, const TorchIndex& index) {
  TorchTensor& t = *m.tensor;
  const auto reached = torch::reach(t.shape, index);
  if (!reached) return std::nullopt;
  const Shape shape = reached->shape();
  const torch::Numbers* n = element_count(shape) <= torch::kMostNumbers ? torch::numbers_of(t) : nullptr;
  // A part of a distribution is distributed like the whole.
  const bool alike = t.init && t.init->kind != torch::Kind::Values && t.init->kind != torch::Kind::Counting;
  if (!n) return torch::tensor(shape, t.dtype, alike ? t.init : std::nullopt);
  torch::Numbers out;
  auto places = reached->places();
  for (std::size_t place : places) out.push_back((*n)[place]);
  Value part = torch::tensor(shape, t.dtype, std::move(out));
  const bool copies = std::ranges::any_of(index.parts, [](const TorchIndex::Part& p) {
    return p.kind == TorchIndex::Kind::Tensor;
  });
  if (!copies) {
    part.as<Made>()->tensor->whole = m.tensor;
    part.as<Made>()->tensor->places = std::move(places);
  }
  return part;
}

bool torch_assign(const Made& m, const TorchIndex& index, const Value& value) {
  TorchTensor& t = *m.tensor;
  const auto reached = torch::reach(t.shape, index);
  auto source = torch::tensor_argument(value);
  if (!reached || !source) return false;
  const Shape shape = reached->shape();
  const torch::Numbers* from = torch::numbers_of(*source);
  const torch::Numbers* old = torch::numbers_of(t);
  if (!from || !old || element_count(shape) > torch::kMostNumbers) return false;
  Shape own = source->shape;
  while (own.size() > shape.size() && own[0] == 1) own.erase(own.begin());
  if (own.size() > shape.size() || torch::broadcast(own, shape) != shape) return false;
  const auto picks = torch::places(shape, torch::broadcast_strides(own, shape));
  const auto places = reached->places();
  // Most tables are filled element by element: nobody else holds the numbers, so they are changed
  // in place.
  if (t.init->values.use_count() == 1 && !t.whole) {
    for (std::size_t i = 0; i < places.size(); ++i)
      (*t.init->values)[places[i]] = torch::as_type((*from)[picks[i]], t.dtype);
    return true;
  }
  torch::Numbers numbers = *old;
  for (std::size_t i = 0; i < places.size(); ++i)
    numbers[places[i]] = torch::as_type((*from)[picks[i]], t.dtype);
  TorchTensor changed = t;
  changed.init = torch::of_numbers(std::move(numbers));
  torch::store(t, changed);
  return true;
}

}  // namespace tilewright::frontend
