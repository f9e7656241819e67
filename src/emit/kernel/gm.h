// Windows of arguments in GM: pointer, extents and strides of a GlobalTensor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/emit/kernel/form.h"
#include "tilewright/emit/spelling.h"
#include "tilewright/ir/plan.h"

namespace tilewright::emit {

// In elements, one per dimension. A window that the orchestration cut out keeps the strides of the
// tensor it was cut from; nothing if its sources disagree.
std::optional<std::vector<int64_t>> gm_strides(const ir::Plan& plan, ir::VarId v);

// The element at which a window begins, counted from the argument's pointer.
ir::Expr gm_offset(const std::vector<ir::Expr>& offset, const std::vector<int64_t>& strides);

// A window as `type name(pointer, extents);`.
struct Window {
  std::string type;     // "GlobalTensor<float, Shape<1, 1, 1, 16, 128>, Stride<...>, Layout::ND>"
  std::string extents;  // a type without them if the running kernel says how many rows and columns
};

// For a tile that is the window; nothing if the form's layout cannot take it, and then `problem`
// says why. `exchanged`: the tile has the window's rows as columns.
std::optional<Window> global_tensor(const Shape& tile, const Form& form, DType dtype,
                                    const std::vector<int64_t>& strides, bool exchanged,
                                    std::string& problem);

}  // namespace tilewright::emit
