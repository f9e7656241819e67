// The tensors that spec functions make with torch: inputs, lengths, block tables, masks. A random
// tensor stays a distribution until somebody looks at its elements; what is too large to keep
// element by element keeps its shape and type alone.
#pragma once

#include <functional>
#include <optional>

#include "tilewright/base/array.h"
#include "tilewright/frontend/evaluate/evaluator.h"
#include "tilewright/frontend/frontend.h"

namespace tilewright::frontend {

struct TorchTensor {
  Shape shape;
  DType dtype = DType::F32;
  std::optional<Initialiser> init;  // nothing: it could not be followed
  // Of a part, x[a:b]: the tensor it is a part of, and where its elements lie there. What is
  // written to the part is written to the whole.
  std::shared_ptr<TorchTensor> whole = nullptr;
  std::vector<std::size_t> places = {};
};

// torch.float32 and its relatives, or pl.FP32.
std::optional<DType> torch_dtype(const Value& v);
// torch.NAME(...); nothing when it cannot be followed.
std::optional<Value> torch_call(const std::string& name, const CallValues& args);
std::optional<Value> torch_method(const Made& made, std::string_view method, const CallValues& args);
std::optional<Value> torch_member(const Made& made, std::string_view name);
// a OP b, where one of them is a tensor: arithmetic, comparisons, & | ^ << >> @.
std::optional<Value> torch_operation(std::string_view op, const Value& a, const Value& b);
Value torch_negated(const Made& made);
// The one number of a tensor of one element.
std::optional<Value> torch_number(const Made& made);
// What is known of the tensor no longer holds.
void torch_forget(const Made& made);

// x[1, a:b:c, None, ..., t]
struct TorchIndex {
  enum class Kind : uint8_t { Position, Slice, NewAxis, Ellipsis, Tensor };
  struct Part {
    Kind kind = Kind::Slice;
    std::optional<int64_t> low = {}, high = {};  // of a position, low
    int64_t step = 1;
    std::shared_ptr<TorchTensor> tensor = nullptr;  // indices, or a mask
  };
  std::vector<Part> parts;
};
std::optional<TorchIndex> torch_index(const Expr& subscript,
                                      const std::function<Value(const Expr&)>& evaluate);
std::optional<Value> torch_item(const Made& made, const TorchIndex& index);
bool torch_assign(const Made& made, const TorchIndex& index, const Value& value);

// What a program's input is initialised with: a tensor, a number, or torch.randn itself.
std::optional<Initialiser> initialiser_of(const Value& v);

}  // namespace tilewright::frontend
