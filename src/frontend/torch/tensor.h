// What the functions of torch share: elements, types, arguments.
#pragma once

#include "tilewright/frontend/torch/torch.h"

namespace tilewright::frontend::torch {

using Numbers = std::vector<double>;
using Kind = Initialiser::Kind;

constexpr int64_t kMostNumbers = 1 << 21;  // elements that are kept one by one
// Random floats that are drawn one by one. Larger tensors of them are weights: what becomes of
// their elements decides nothing.
constexpr int64_t kMostDrawn = 1 << 16;

Value tensor(Shape shape, DType dtype, std::optional<Initialiser> init);
Value tensor(Shape shape, DType dtype, Numbers numbers);
Initialiser constant(double value);
Initialiser of_numbers(Numbers numbers);

// The elements one by one; null when there are too many or they are not known. What is random is
// drawn now, once: whoever looks later sees the same numbers.
const Numbers* numbers_of(TorchTensor& t);
// Replaces the elements, also in what `t` is a part of.
void store(TorchTensor& t, const TorchTensor& value);

// The elements as a type holds them: whole numbers for integers, 0 or 1 for truth.
double as_type(double value, DType dtype);
DType common_type(DType a, DType b);

// ---- shapes ----
std::vector<std::size_t> strides_of(const Shape& shape);
std::optional<Shape> broadcast(const Shape& a, const Shape& b);
// Visits the elements of `shape` in order, with the place of each in something of `strides`.
std::vector<std::size_t> places(const Shape& shape, const std::vector<std::size_t>& strides);
// Strides that make `from` appear as `to`: 0 where it is repeated.
std::vector<std::size_t> broadcast_strides(const Shape& from, const Shape& to);

// ---- arguments ----
std::optional<std::size_t> axis(const Value* v, std::size_t rank);
// Integers: (2, 3), ([2, 3]) or keyword `name`, from position `first` on.
std::optional<Shape> integers(const CallValues& args, std::size_t first, std::string_view name);
bool flag(const CallValues& args, std::size_t position, std::string_view name);
std::optional<DType> dtype_argument(const CallValues& args);
// A tensor, or a number or list of numbers as one.
std::optional<TorchTensor> tensor_argument(const Value& v);
const Made* made_argument(const CallValues& args, std::size_t position, std::string_view name);

// ---- the functions, each file a family; nothing when the name is of another ----
std::optional<Value> create(std::string_view name, const CallValues& args);
std::optional<Value> elementwise(const Made& m, std::string_view name, const CallValues& args);
std::optional<Value> change_layout(const Made& m, std::string_view name, const CallValues& args);
std::optional<Value> join(std::string_view name, const List& parts, const CallValues& args);
std::optional<Value> reduce(const Made& m, std::string_view name, const CallValues& args);
std::optional<Value> product(std::string_view name, const CallValues& args);
// where(condition, a, b)
std::optional<Value> choose(const CallValues& args);

}  // namespace tilewright::frontend::torch
