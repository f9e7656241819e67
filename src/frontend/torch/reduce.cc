// Functions that look at many elements for each result: sums, maxima, sorting, counting, products.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "tilewright/frontend/torch/tensor.h"

namespace tilewright::frontend::torch {
namespace {

// A tensor as lines along one dimension.
struct Lines {
  std::size_t length = 1, inner = 1, outer = 1;

  Lines(const Shape& shape, std::size_t d) : length(static_cast<std::size_t>(shape[d])) {
    for (std::size_t i = 0; i < d; ++i) outer *= static_cast<std::size_t>(shape[i]);
    for (std::size_t i = d + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  }
  std::size_t count() const { return outer * inner; }
  std::size_t place(std::size_t line, std::size_t i) const {
    return (line / inner * length + i) * inner + line % inner;
  }
};

struct Reduction {
  std::string_view name;
  double (*step)(double, double);
  std::optional<double> start;  // nothing: the first element
};

const Reduction kReductions[] = {
    {"sum", [](double a, double b) { return a + b; }, 0.0},
    {"mean", [](double a, double b) { return a + b; }, 0.0},
    {"prod", [](double a, double b) { return a * b; }, 1.0},
    {"amax", [](double a, double b) { return std::max(a, b); }, {}},
    {"amin", [](double a, double b) { return std::min(a, b); }, {}},
    {"max", [](double a, double b) { return std::max(a, b); }, {}},
    {"min", [](double a, double b) { return std::min(a, b); }, {}},
    {"any", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }, 0.0},
    {"all", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }, 1.0},
    {"count_nonzero", [](double a, double b) { return a + (b != 0 ? 1 : 0); }, 0.0},
};

DType result_type(std::string_view name, DType own) {
  if (name == "any" || name == "all") return DType::Bool;
  if (name == "mean" && !is_float(own)) return DType::F32;
  if (is_float(own) || name == "amax" || name == "amin" || name == "max" || name == "min")
    return name == "count_nonzero" ? DType::I64 : own;
  return DType::I64;
}

Shape without(Shape shape, std::size_t d, bool keep) {
  if (keep)
    shape[d] = 1;
  else
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
  return shape;
}

std::optional<Value> along(TorchTensor& t, const Reduction& r, std::size_t d, bool keep) {
  const DType dtype = result_type(r.name, t.dtype);
  Shape shape = without(t.shape, d, keep);
  const Numbers* n = numbers_of(t);
  const Lines lines(t.shape, d);
  if (!n || (lines.length == 0 && !r.start)) return tensor(shape, dtype, std::nullopt);
  Numbers out;
  for (std::size_t line = 0; line < lines.count(); ++line) {
    double v = r.start ? *r.start : (*n)[lines.place(line, 0)];
    for (std::size_t i = r.start ? 0 : 1; i < lines.length; ++i)
      v = r.step(v, (*n)[lines.place(line, i)]);
    out.push_back(r.name == "mean" ? v / static_cast<double>(lines.length) : v);
  }
  return tensor(std::move(shape), dtype, std::move(out));
}

// Positions of a line from the smallest element to the largest; equal ones keep their order.
std::vector<std::size_t> sorted_line(const Numbers& n, const Lines& lines, std::size_t line,
                                     bool descending) {
  std::vector<std::size_t> order(lines.length);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double x = n[lines.place(line, a)], y = n[lines.place(line, b)];
    return descending ? x > y : x < y;
  });
  return order;
}

// (values, indices) of the first `count` elements of each sorted line.
std::optional<Value> sorted(TorchTensor& t, std::size_t d, std::size_t count, bool descending) {
  Shape shape = t.shape;
  shape[d] = static_cast<int64_t>(count);
  const Numbers* n = numbers_of(t);
  if (!n)
    return Value{List::of({tensor(shape, t.dtype, std::nullopt),
                           tensor(shape, DType::I64, std::nullopt)},
                          true)};
  const Lines from(t.shape, d), to(shape, d);
  Numbers values(static_cast<std::size_t>(element_count(shape))), indices(values.size());
  for (std::size_t line = 0; line < from.count(); ++line) {
    const auto order = sorted_line(*n, from, line, descending);
    for (std::size_t i = 0; i < count; ++i) {
      values[to.place(line, i)] = (*n)[from.place(line, order[i])];
      indices[to.place(line, i)] = static_cast<double>(order[i]);
    }
  }
  return Value{List::of({tensor(shape, t.dtype, std::move(values)),
                         tensor(shape, DType::I64, std::move(indices))},
                        true)};
}

std::optional<Value> squeezed(const std::optional<Value>& v, std::size_t d, bool keep) {
  if (!v || keep) return v;
  return change_layout(*v->as<Made>(), "squeeze", {{{ir::Expr(static_cast<int64_t>(d))}}, {}});
}

}  // namespace

std::optional<Value> reduce(const Made& m, std::string_view name, const CallValues& args) {
  TorchTensor& t = *m.tensor;
  const std::size_t rank = t.shape.size();
  const Value* dim = args.find(0, "dim");
  if (dim && dim->as<None>()) dim = nullptr;
  const bool keep = flag(args, 1, "keepdim");
  const bool with_index = name == "max" || name == "min";
  if ((name == "max" || name == "min") && dim && dim->as<Made>())
    return elementwise(m, name == "max" ? "maximum" : "minimum", {{*dim}, {}});
  for (const Reduction& r : kReductions) {
    if (r.name != name) continue;
    if (dim && dim->as<List>()) {
      Value out{m};
      for (const Value& v : dim->as<List>()->items()) {
        const auto d = axis(&v, rank);
        const auto next = d ? along(*out.as<Made>()->tensor, r, *d, true) : std::nullopt;
        if (!next) return std::nullopt;
        out = *next;
      }
      return keep ? std::optional(out) : change_layout(*out.as<Made>(), "squeeze", {});
    }
    if (!dim) {
      Value flat = *change_layout(m, "reshape", {{{ir::Expr(int64_t{-1})}}, {}});
      return along(*flat.as<Made>()->tensor, r, 0, false);
    }
    const auto d = axis(dim, rank);
    if (!d) return std::nullopt;
    if (!with_index) return along(t, r, *d, keep);
    const auto both = sorted(t, *d, 1, name == "max");
    const auto& parts = both->as<List>()->items();
    const auto values = squeezed(parts[0], *d, keep), indices = squeezed(parts[1], *d, keep);
    if (!values || !indices) return std::nullopt;
    return Value{List::of({*values, *indices}, true)};
  }
  if (name == "argmax" || name == "argmin") {
    const Made source =
        dim ? m : *change_layout(m, "reshape", {{{ir::Expr(int64_t{-1})}}, {}})->as<Made>();
    const auto d = dim ? axis(dim, rank) : std::optional<std::size_t>(0);
    if (!d || source.tensor->shape[*d] == 0) return std::nullopt;
    const auto both = sorted(*source.tensor, *d, 1, name == "argmax");
    return squeezed(both->as<List>()->items()[1], *d, keep);
  }
  if (name == "sort" || name == "argsort") {
    const auto d = dim ? axis(dim, rank) : std::optional<std::size_t>(rank - 1);
    if (!d || rank == 0) return std::nullopt;
    const auto both = sorted(t, *d, static_cast<std::size_t>(t.shape[*d]), flag(args, 1, "descending"));
    return name == "sort" ? both : both->as<List>()->items()[1];
  }
  if (name == "topk") {
    const Value* k = args.find(0, "k");
    const Value* along_dim = args.find(1, "dim");
    const auto d = along_dim ? axis(along_dim, rank) : std::optional<std::size_t>(rank - 1);
    if (!d || rank == 0 || !k || !k->integer() || *k->integer() < 0 ||
        *k->integer() > t.shape[*d])
      return std::nullopt;
    const Value* largest = args.find(2, "largest");
    return sorted(t, *d, static_cast<std::size_t>(*k->integer()),
                  !largest || flag(args, 2, "largest"));
  }
  const Numbers* n = numbers_of(t);
  if (name == "cumsum" && dim) {
    const auto d = axis(dim, rank);
    if (!d) return std::nullopt;
    if (!n) return tensor(t.shape, t.dtype, std::nullopt);
    const Lines lines(t.shape, *d);
    Numbers out = *n;
    for (std::size_t line = 0; line < lines.count(); ++line)
      for (std::size_t i = 1; i < lines.length; ++i)
        out[lines.place(line, i)] += out[lines.place(line, i - 1)];
    return tensor(t.shape, is_float(t.dtype) ? t.dtype : DType::I64, std::move(out));
  }
  if (!n) return std::nullopt;
  if (name == "bincount") {
    const Value* least = args.find(1, "minlength");
    double most = least && least->integer() ? static_cast<double>(*least->integer()) : 0;
    for (double v : *n) most = std::max(most, v + 1);
    if (!(most <= static_cast<double>(kMostNumbers))) return std::nullopt;
    Numbers out(static_cast<std::size_t>(most), 0.0);
    for (double v : *n) {
      if (v < 0) return std::nullopt;
      ++out[static_cast<std::size_t>(v)];
    }
    const Shape shape{static_cast<int64_t>(most)};
    return tensor(shape, DType::I64, std::move(out));
  }
  if (name == "unique") {
    const std::set<double> all(n->begin(), n->end());
    return tensor({static_cast<int64_t>(all.size())}, t.dtype, Numbers(all.begin(), all.end()));
  }
  if (name == "nonzero") {
    const auto strides = strides_of(t.shape);
    Numbers out;
    for (std::size_t i = 0; i < n->size(); ++i)
      for (std::size_t d = 0; (*n)[i] != 0 && d < rank; ++d)
        out.push_back(static_cast<double>(i / strides[d] % static_cast<std::size_t>(t.shape[d])));
    const auto rows = static_cast<int64_t>(rank == 0 ? 0 : out.size() / rank);
    if (!flag(args, 1, "as_tuple"))
      return tensor({rows, static_cast<int64_t>(rank)}, DType::I64, std::move(out));
    std::vector<Value> parts;
    for (std::size_t d = 0; d < rank; ++d) {
      Numbers column;
      for (std::size_t i = d; i < out.size(); i += rank) column.push_back(out[i]);
      parts.push_back(tensor({rows}, DType::I64, std::move(column)));
    }
    return Value{List::of(std::move(parts), true)};
  }
  return std::nullopt;
}

// Products of matrices: their shapes. Programs are given what goes into products, not what comes
// out of them.
std::optional<Value> product(std::string_view name, const CallValues& args) {
  if (name != "matmul" && name != "mm" && name != "bmm" && name != "outer") return std::nullopt;
  const Made* a = made_argument(args, 0, "input");
  const Made* b = made_argument(args, 1, name == "outer" ? "vec2" : name == "matmul" ? "other" : "mat2");
  if (!a || !b) return std::nullopt;
  const Shape& left = a->tensor->shape;
  const Shape& right = b->tensor->shape;
  if (name == "outer") {
    const auto column = change_layout(*a, "unsqueeze", {{{ir::Expr(int64_t{1})}}, {}});
    return column ? torch_operation("*", *column, {*b}) : std::nullopt;
  }
  if (left.empty() || right.empty()) return std::nullopt;
  const DType dtype = common_type(a->tensor->dtype, b->tensor->dtype);
  if (right.size() == 1) return tensor(Shape(left.begin(), left.end() - 1), dtype, std::nullopt);
  const auto batch = broadcast(Shape(left.begin(), left.end() - std::min<std::ptrdiff_t>(2, std::ssize(left))),
                               Shape(right.begin(), right.end() - 2));
  if (!batch) return std::nullopt;
  Shape shape = *batch;
  if (left.size() > 1) shape.push_back(left[left.size() - 2]);
  shape.push_back(right.back());
  return tensor(shape, dtype, std::nullopt);
}

}  // namespace tilewright::frontend::torch
