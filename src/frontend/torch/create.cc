// torch.zeros, randn, arange, ...: tensors from nothing.
#include <cmath>
#include <numeric>

#include "tilewright/base/rng.h"
#include "tilewright/frontend/torch/tensor.h"

namespace tilewright::frontend::torch {
namespace {

std::optional<Initialiser> plain_fill(std::string_view name) {
  if (name == "rand") return Initialiser{Kind::Uniform};
  if (name == "randn") return Initialiser{Kind::Normal};
  if (name == "zeros" || name == "empty") return constant(0);
  if (name == "ones") return constant(1);
  return std::nullopt;
}

// NAME_like(x): the shape and type of x.
const TorchTensor* model_of(std::string_view name, const CallValues& args) {
  const Made* m = name.ends_with("_like") ? made_argument(args, 0, "input") : nullptr;
  return m ? m->tensor.get() : nullptr;
}

bool usable(const std::optional<Shape>& shape) {
  if (!shape) return false;
  for (int64_t d : *shape)
    if (d < 0) return false;
  return true;
}

std::optional<Value> arange(const CallValues& args) {
  std::vector<double> b;
  bool whole = true;
  for (const Value& v : args.positional) {
    if (!v.number()) return std::nullopt;
    whole = whole && v.integer();
    b.push_back(*v.number());
  }
  const Value* end = args.find(SIZE_MAX, "end");
  if (b.empty() && end && end->number()) b.push_back(*end->number());
  if (b.empty()) return std::nullopt;
  const double start = b.size() > 1 ? b[0] : 0;
  const double stop = b.size() > 1 ? b[1] : b[0];
  const Value* named_step = args.find(2, "step");
  const double step = named_step ? named_step->number().value_or(0) : 1;
  const double count = step != 0 ? std::ceil((stop - start) / step) : -1;
  if (!(count >= 0 && count <= static_cast<double>(kMostNumbers))) return std::nullopt;
  return tensor({static_cast<int64_t>(count)},
                dtype_argument(args).value_or(whole ? DType::I64 : DType::F32),
                Initialiser{Kind::Counting, step, start / step, 0, 0, nullptr});
}

std::optional<Value> randint(const CallValues& args, const TorchTensor* model) {
  const std::size_t first = model ? 1 : 0;
  const std::size_t n = args.positional.size();
  const bool has_low = n >= first + 2 && args.positional[first + 1].integer().has_value();
  const Value* low = has_low ? &args.positional[first] : args.find(SIZE_MAX, "low");
  const Value* high = args.find(has_low ? first + 1 : first, "high");
  const auto shape = model ? std::optional(model->shape)
                           : integers(args, first + (has_low ? 2 : 1), "size");
  if (!high || !high->integer() || !usable(shape) || (low && !low->integer())) return std::nullopt;
  return tensor(*shape, dtype_argument(args).value_or(model ? model->dtype : DType::I64),
                Initialiser{Kind::Integers, 1, 0, low ? *low->integer() : 0, *high->integer(),
                            nullptr});
}

}  // namespace

std::optional<Value> create(std::string_view name, const CallValues& args) {
  const TorchTensor* model = model_of(name, args);
  const std::string_view word = model ? name.substr(0, name.size() - 5) : name;
  const auto dtype = [&](DType otherwise) {
    return dtype_argument(args).value_or(model ? model->dtype : otherwise);
  };
  if (const auto fill = plain_fill(word)) {
    const auto shape = model ? std::optional(model->shape) : integers(args, 0, "size");
    if (!usable(shape)) return std::nullopt;
    return tensor(*shape, dtype(DType::F32), *fill);
  }
  if (word == "full") {
    const Value* fill = args.find(1, "fill_value");
    const auto shape = model ? std::optional(model->shape)
                             : integers({args.positional.empty()
                                             ? std::vector<Value>{}
                                             : std::vector<Value>{args.positional[0]},
                                         args.keywords},
                                        0, "size");
    if (!fill || !fill->number() || !usable(shape)) return std::nullopt;
    const DType own = fill->as<double>() ? DType::F32 : fill->as<bool>() ? DType::Bool : DType::I64;
    return tensor(*shape, dtype(own), constant(*fill->number()));
  }
  if (word == "arange") return arange(args);
  if (word == "randint") return randint(args, model);
  const Value* first = args.positional.empty() ? nullptr : &args.positional[0];
  if ((name == "tensor" || name == "as_tensor") && first) {
    auto t = tensor_argument(*first);
    if (!t) return std::nullopt;
    return tensor(std::move(t->shape), dtype(t->dtype), std::move(t->init));
  }
  if (name == "linspace" && args.positional.size() >= 2) {
    const Value* steps = args.find(2, "steps");
    const auto a = first->number(), b = args.positional[1].number();
    const int64_t n = steps ? steps->integer().value_or(0) : 0;
    if (!a || !b || n < 1 || n > kMostNumbers) return std::nullopt;
    const double step = n == 1 ? 0 : (*b - *a) / static_cast<double>(n - 1);
    Numbers out;
    for (int64_t i = 0; i < n; ++i) out.push_back(*a + step * static_cast<double>(i));
    return tensor({n}, dtype(DType::F32), std::move(out));
  }
  const int64_t n = first ? first->integer().value_or(-1) : -1;
  if (n < 0 || n > kMostNumbers) return std::nullopt;
  if (name == "randperm") {
    Numbers out(static_cast<std::size_t>(n));
    std::iota(out.begin(), out.end(), 0.0);
    Rng rng(out.size());
    for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[rng.next() % i]);
    return tensor({n}, dtype(DType::I64), std::move(out));
  }
  if (name == "eye" && n * n <= kMostNumbers) {
    Numbers out(static_cast<std::size_t>(n * n), 0.0);
    for (int64_t i = 0; i < n; ++i) out[static_cast<std::size_t>(i * n + i)] = 1;
    return tensor({n, n}, dtype(DType::F32), std::move(out));
  }
  return std::nullopt;
}

}  // namespace tilewright::frontend::torch
