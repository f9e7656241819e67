// Functions that move elements without changing them.
#include <algorithm>
#include <numeric>

#include "tilewright/frontend/torch/tensor.h"

namespace tilewright::frontend::torch {
namespace {

// Elements at `from` of t, in the shape of the result. What is random and was never looked at stays
// so: a part of a distribution is distributed like the whole.
Value moved(TorchTensor& t, Shape shape, const std::function<std::vector<std::size_t>()>& from) {
  if (t.init && (t.init->kind == Kind::Uniform || t.init->kind == Kind::Normal ||
                 t.init->kind == Kind::Constant))
    return tensor(std::move(shape), t.dtype, t.init);
  const Numbers* n = element_count(shape) <= kMostNumbers ? numbers_of(t) : nullptr;
  if (!n) return tensor(std::move(shape), t.dtype, std::nullopt);
  Numbers out;
  for (std::size_t p : from()) out.push_back((*n)[p]);
  return tensor(std::move(shape), t.dtype, std::move(out));
}

Value same_order(TorchTensor& t, Shape shape) {
  if (t.init && t.init->kind == Kind::Integers) numbers_of(t);  // both see the same numbers
  return tensor(std::move(shape), t.dtype, t.init);
}

Value permuted(TorchTensor& t, const std::vector<std::size_t>& order) {
  const auto own = strides_of(t.shape);
  Shape shape;
  std::vector<std::size_t> strides;
  for (std::size_t d : order) {
    shape.push_back(t.shape[d]);
    strides.push_back(own[d]);
  }
  return moved(t, shape, [&] { return places(shape, strides); });
}

Value broadcasted(TorchTensor& t, const Shape& shape) {
  return moved(t, shape, [&] { return places(shape, broadcast_strides(t.shape, shape)); });
}

// Along one dimension, the elements at these positions.
Value picked(TorchTensor& t, std::size_t d, const std::vector<std::size_t>& positions) {
  Shape shape = t.shape;
  shape[d] = static_cast<int64_t>(positions.size());
  return moved(t, shape, [&] {
    const std::size_t stride = strides_of(t.shape)[d];
    auto others = strides_of(t.shape);
    others[d] = 0;
    auto out = places(shape, others);
    const std::size_t own = strides_of(shape)[d];
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] += positions[i / own % positions.size()] * stride;
    return out;
  });
}

// One size of a shape may be -1.
std::optional<Shape> reshaped(const Shape& from, Shape to) {
  int64_t known = 1;
  int64_t* open = nullptr;
  for (int64_t& d : to) {
    if (d < 0)
      open = &d;
    else
      known *= d;
  }
  if (open) *open = known > 0 ? element_count(from) / known : 0;
  if (element_count(to) != element_count(from)) return std::nullopt;
  return to;
}

std::optional<Value> split(TorchTensor& t, std::size_t d, const std::vector<int64_t>& sizes) {
  std::vector<Value> parts;
  std::size_t at = 0;
  for (int64_t size : sizes) {
    std::vector<std::size_t> positions(static_cast<std::size_t>(size));
    std::iota(positions.begin(), positions.end(), at);
    at += positions.size();
    parts.push_back(picked(t, d, positions));
  }
  return Value{List::of(std::move(parts), true)};
}

std::optional<Value> repeated(TorchTensor& t, const CallValues& args) {
  const Value* count = args.find(0, "repeats");
  const auto each = count ? count->integer() : std::nullopt;
  const auto counts = count ? tensor_argument(*count) : std::nullopt;
  const auto d = axis(args.find(1, "dim"), t.shape.size());
  if (!d && t.shape.size() != 1) return std::nullopt;
  const std::size_t along = d.value_or(0);
  TorchTensor source = counts.value_or(TorchTensor{});
  const Numbers* n = counts ? numbers_of(source) : nullptr;
  if (!each && (!n || n->size() != static_cast<std::size_t>(t.shape[along]))) return std::nullopt;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < static_cast<std::size_t>(t.shape[along]); ++i) {
    const auto times = each ? *each : static_cast<int64_t>((*n)[i]);
    if (times < 0 || static_cast<int64_t>(positions.size()) + times > kMostNumbers)
      return std::nullopt;
    positions.insert(positions.end(), static_cast<std::size_t>(times), i);
  }
  return picked(t, along, positions);
}

// gather(dim, index): out[i][j] = t[index[i][j]][j] for dim 0.
std::optional<Value> gathered(TorchTensor& t, const CallValues& args) {
  const auto d = axis(args.find(0, "dim"), t.shape.size());
  const Made* index = made_argument(args, 1, "index");
  if (!d || !index || index->tensor->shape.size() != t.shape.size()) return std::nullopt;
  const Shape& shape = index->tensor->shape;
  const Numbers* which = numbers_of(*index->tensor);
  const Numbers* n = numbers_of(t);
  if (!which || !n) return tensor(shape, t.dtype, std::nullopt);
  const auto strides = strides_of(t.shape);
  auto others = strides;
  others[*d] = 0;
  const auto base = places(shape, others);
  Numbers out;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if ((*which)[i] < 0 || (*which)[i] >= static_cast<double>(t.shape[*d])) return std::nullopt;
    out.push_back((*n)[base[i] + static_cast<std::size_t>((*which)[i]) * strides[*d]]);
  }
  return tensor(shape, t.dtype, std::move(out));
}

}  // namespace

std::optional<Value> change_layout(const Made& m, std::string_view name, const CallValues& args) {
  TorchTensor& t = *m.tensor;
  const std::size_t rank = t.shape.size();
  const auto dim = [&](std::size_t position) { return axis(args.find(position, "dim"), rank); };
  if (name == "reshape" || name == "view") {
    if (const Value* v = args.find(0, "dtype"); v && torch_dtype(*v))  // the same bits as this type
      return tensor(t.shape, *torch_dtype(*v), std::nullopt);
    const auto sizes = integers(args, 0, "shape");
    const auto shape = sizes ? reshaped(t.shape, *sizes) : std::nullopt;
    return shape ? std::optional(same_order(t, *shape)) : std::nullopt;
  }
  if (name == "reshape_as" || name == "view_as" || name == "expand_as") {
    const Made* other = made_argument(args, 0, "other");
    if (!other) return std::nullopt;
    return name == "expand_as" ? broadcasted(t, other->tensor->shape)
                               : same_order(t, other->tensor->shape);
  }
  if (name == "flatten") {
    const auto first = axis(args.find(0, "start_dim"), rank).value_or(0);
    const auto last = axis(args.find(1, "end_dim"), rank).value_or(rank - 1);
    if (rank == 0 || last < first) return std::nullopt;
    Shape shape(t.shape.begin(), t.shape.begin() + static_cast<std::ptrdiff_t>(first));
    shape.push_back(std::accumulate(t.shape.begin() + static_cast<std::ptrdiff_t>(first),
                                    t.shape.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                                    int64_t{1}, std::multiplies<>()));
    shape.insert(shape.end(), t.shape.begin() + static_cast<std::ptrdiff_t>(last) + 1, t.shape.end());
    return same_order(t, shape);
  }
  if (name == "unsqueeze") {
    const auto d = axis(args.find(0, "dim"), rank + 1);
    if (!d) return std::nullopt;
    Shape shape = t.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*d), 1);
    return same_order(t, shape);
  }
  if (name == "squeeze") {
    Shape shape = t.shape;
    if (!args.find(0, "dim"))
      std::erase(shape, 1);
    else if (const auto d = dim(0); d && shape[*d] == 1)
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*d));
    return same_order(t, shape);
  }
  if (name == "t" || name == "transpose" || name == "swapaxes") {
    if (rank < 2) return same_order(t, t.shape);
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto a = axis(args.find(0, "dim0"), rank), b = axis(args.find(1, "dim1"), rank);
    std::swap(order[a.value_or(rank - 2)], order[b.value_or(rank - 1)]);
    return permuted(t, order);
  }
  if (name == "permute") {
    const auto dims = integers(args, 0, "dims");
    if (!dims || dims->size() != rank) return std::nullopt;
    std::vector<std::size_t> order;
    for (int64_t d : *dims) {
      const Value v{ir::Expr(d)};
      if (!axis(&v, rank)) return std::nullopt;
      order.push_back(*axis(&v, rank));
    }
    return permuted(t, order);
  }
  if (name == "expand" || name == "broadcast_to") {
    auto shape = integers(args, 0, "size");
    if (!shape || shape->size() < rank) return std::nullopt;
    const std::size_t missing = shape->size() - rank;
    for (std::size_t d = 0; d < rank; ++d)
      if ((*shape)[d + missing] < 0) (*shape)[d + missing] = t.shape[d];
    if (broadcast(t.shape, *shape) != shape) return std::nullopt;
    return broadcasted(t, *shape);
  }
  if (name == "repeat" || name == "tile") {
    const auto times = integers(args, 0, "repeats");
    if (!times || times->size() < rank) return std::nullopt;
    Shape shape = t.shape;
    shape.insert(shape.begin(), times->size() - rank, 1);
    Value out = same_order(t, shape);
    for (std::size_t d = 0; d < times->size(); ++d) {
      TorchTensor& now = *out.as<Made>()->tensor;
      const auto size = static_cast<std::size_t>(now.shape[d]);
      if ((*times)[d] < 0) return std::nullopt;
      std::vector<std::size_t> positions(size * static_cast<std::size_t>((*times)[d]));
      for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = i % size;
      out = picked(now, d, positions);
    }
    return out;
  }
  if (name == "repeat_interleave") return repeated(t, args);
  if (name == "gather") return gathered(t, args);
  if (name == "flip") {
    const auto dims = integers(args, 0, "dims");
    Value out{m};
    for (int64_t i : dims.value_or(Shape{})) {
      const Value v{ir::Expr(i)};
      const auto d = axis(&v, rank);
      if (!d) return std::nullopt;
      std::vector<std::size_t> positions(static_cast<std::size_t>(t.shape[*d]));
      std::iota(positions.rbegin(), positions.rend(), std::size_t{0});
      out = picked(*out.as<Made>()->tensor, *d, positions);
    }
    return out;
  }
  if (name == "roll") {
    const Value* by = args.find(0, "shifts");
    const auto d = axis(args.find(1, "dims"), rank);
    if (!by || !by->integer() || (!d && rank != 1)) return std::nullopt;
    const int64_t size = t.shape[d.value_or(0)];
    std::vector<std::size_t> positions;
    for (int64_t i = 0; i < size; ++i)
      positions.push_back(static_cast<std::size_t>(((i - *by->integer()) % size + size) % size));
    return picked(t, d.value_or(0), positions);
  }
  if (name == "split" || name == "chunk") {
    const auto d = axis(args.find(1, "dim"), rank).value_or(0);
    const Value* by = args.find(0, name == "split" ? "split_size_or_sections" : "chunks");
    if (!by || rank == 0) return std::nullopt;
    if (const auto* list = by->as<List>()) {
      const auto sizes = integers({{{*list}}, {}}, 0, "");
      return sizes ? split(t, d, *sizes) : std::nullopt;
    }
    const auto n = by->integer();
    if (!n || *n <= 0) return std::nullopt;
    const int64_t each = name == "split" ? *n : (t.shape[d] + *n - 1) / *n;
    std::vector<int64_t> sizes;
    for (int64_t at = 0; at < t.shape[d]; at += each)
      sizes.push_back(std::min(each, t.shape[d] - at));
    return split(t, d, sizes);
  }
  if (name == "narrow" || name == "index_select") {
    const auto d = dim(0);
    if (!d) return std::nullopt;
    std::vector<std::size_t> positions;
    if (name == "narrow") {
      const Value* start = args.find(1, "start");
      const Value* length = args.find(2, "length");
      if (!start || !length || !start->integer() || !length->integer()) return std::nullopt;
      if (*start->integer() < 0 || *length->integer() < 0 ||
          *start->integer() + *length->integer() > t.shape[*d])
        return std::nullopt;
      positions.resize(static_cast<std::size_t>(*length->integer()));
      std::iota(positions.begin(), positions.end(), static_cast<std::size_t>(*start->integer()));
    } else {
      const Made* index = made_argument(args, 1, "index");
      const Numbers* n = index ? numbers_of(*index->tensor) : nullptr;
      if (!n) return std::nullopt;
      for (double v : *n) {
        if (v < 0 || v >= static_cast<double>(t.shape[*d])) return std::nullopt;
        positions.push_back(static_cast<std::size_t>(v));
      }
    }
    return picked(t, *d, positions);
  }
  if ((name == "tril" || name == "triu") && rank == 2) {
    const Numbers* n = numbers_of(t);
    if (!n) return tensor(t.shape, t.dtype, std::nullopt);
    const Value* k = args.find(0, "diagonal");
    const int64_t shift = k ? k->integer().value_or(0) : 0;
    Numbers out = *n;
    for (int64_t r = 0; r < t.shape[0]; ++r)
      for (int64_t c = 0; c < t.shape[1]; ++c)
        if (name == "tril" ? c > r + shift : c < r + shift)
          out[static_cast<std::size_t>(r * t.shape[1] + c)] = 0;
    return tensor(t.shape, t.dtype, std::move(out));
  }
  return std::nullopt;
}

std::optional<Value> join(std::string_view name, const List& parts, const CallValues& args) {
  const bool stack = name == "stack";
  std::vector<TorchTensor> list;
  for (const Value& v : parts.items()) {
    const auto* m = v.as<Made>();
    if (!m) return std::nullopt;
    if (m->tensor->init && m->tensor->init->kind != Kind::Constant) numbers_of(*m->tensor);
    list.push_back(*m->tensor);
    if (!stack && list.size() > 1 && list.back().shape.size() != list[0].shape.size())
      return std::nullopt;
  }
  if (list.empty()) return std::nullopt;
  const std::size_t rank = list[0].shape.size() + (stack ? 1 : 0);
  const Value* v = args.find(1, "dim");
  const auto d = v ? axis(v, rank) : std::optional<std::size_t>(0);
  if (!d || rank == 0) return std::nullopt;
  DType dtype = list[0].dtype;
  for (TorchTensor& t : list) {
    if (stack) t.shape.insert(t.shape.begin() + static_cast<std::ptrdiff_t>(*d), 1);
    dtype = common_type(dtype, t.dtype);
  }
  Shape shape = list[0].shape;
  shape[*d] = 0;
  for (const TorchTensor& t : list) shape[*d] += t.shape[*d];
  if (element_count(shape) > kMostNumbers) {
    const auto kind = [](const TorchTensor& t) {
      return t.init ? std::optional(t.init->kind) : std::nullopt;
    };
    const bool alike = std::ranges::all_of(list, [&](const TorchTensor& t) {
      return kind(t) && *kind(t) != Kind::Values && *kind(t) != Kind::Counting &&
             kind(t) == kind(list[0]) && t.init->scale == list[0].init->scale &&
             t.init->shift == list[0].init->shift;
    });
    return tensor(shape, dtype, alike ? list[0].init : std::nullopt);
  }
  // Elements before dimension d, then each part's own block.
  std::size_t outer = 1;
  for (std::size_t i = 0; i < *d; ++i) outer *= static_cast<std::size_t>(shape[i]);
  Numbers out;
  for (std::size_t o = 0; o < outer; ++o)
    for (TorchTensor& t : list) {
      const Numbers* n = numbers_of(t);
      if (!n) return tensor(shape, dtype, std::nullopt);
      const std::size_t block = n->size() / outer;
      out.insert(out.end(), n->begin() + static_cast<std::ptrdiff_t>(o * block),
                 n->begin() + static_cast<std::ptrdiff_t>((o + 1) * block));
    }
  if (static_cast<int64_t>(out.size()) != element_count(shape)) return std::nullopt;
  return tensor(shape, dtype, std::move(out));
}

}  // namespace tilewright::frontend::torch
