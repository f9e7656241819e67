// The tensors that spec functions make with torch. Random ones stay a distribution; lengths, block
// tables and the like, which are computed element by element, are kept as numbers.
#pragma once

#include <functional>
#include <optional>

#include "tilewright/base/array.h"
#include "tilewright/frontend/evaluate/evaluator.h"
#include "tilewright/frontend/frontend.h"

namespace tilewright::frontend {

struct TorchTensor {
  Shape shape;
  std::optional<DType> dtype;
  std::optional<Initialiser> init;  // nothing: it could not be followed
};

// torch.float32 and its relatives, or pl.FP32.
std::optional<DType> torch_dtype(const Value& v);
// torch.NAME(...), if it makes a tensor that can be followed.
std::optional<Value> torch_call(const std::string& name, const CallValues& args);
std::optional<Value> torch_method(const Made& made, std::string_view method, const CallValues& args);
std::optional<Value> torch_member(const Made& made, std::string_view name);
std::optional<Value> torch_operation(std::string_view op, const Value& a, const Value& b);
Value torch_negated(const Made& made);
// The one number of a tensor of one element.
std::optional<Value> torch_number(const Made& made);
// What is known of the tensor no longer holds.
void torch_forget(const Made& made);

// x[i, a:b]: per dimension a start and a count; dropped dimensions are those without a colon.
struct TorchIndex {
  struct Part {
    bool sliced = false;
    std::optional<int64_t> low, high;
  };
  std::vector<Part> parts;
};
std::optional<TorchIndex> torch_index(const Expr& subscript,
                                      const std::function<Value(const Expr&)>& evaluate);
std::optional<Value> torch_item(const Made& made, const TorchIndex& index);
bool torch_assign(const Made& made, const TorchIndex& index, const Value& value);

// What a program's input is initialised with: a tensor, a number, or torch.randn itself.
std::optional<Initialiser> initialiser_of(const Value& v);

bool is_builtin_name(std::string_view name);

}  // namespace tilewright::frontend
