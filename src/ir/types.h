// Variables of a program and their types: buffers with one type for life, and scalars.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/base/array.h"
#include "tilewright/base/dtype.h"
#include "tilewright/base/memory_space.h"
#include "tilewright/base/place.h"
#include "tilewright/ir/ids.h"

namespace tilewright::ir {

enum class Layout : uint8_t { ND, DN, NZ };
enum class Direction : uint8_t { In, Out, InOut };
// What a parameter is to a model: bound once, kept between steps, or new every step.
enum class Role : uint8_t { Activation, Weight, State };

std::string_view direction_name(Direction d);
std::string_view role_name(Role r);
std::string_view layout_name(Layout l);

struct ArrayType {
  DType dtype = DType::F32;
  Shape shape;
  friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

struct Var {
  std::string name;  // unique in the program
  // How messages call it: the name that its author wrote, which may be that of other variables too,
  // or "pl.slice(...)" if its author gave it none. Empty: as `name`.
  std::string written = {};
  bool scalar = false;  // scalars hold INDEX, INT or FLOAT values; the rest are arrays
  bool task = false;    // a scalar that names tasks; with a shape, an array of such names
  DType dtype = DType::F32;
  Shape shape;
  Layout layout = Layout::ND;
  std::optional<MemorySpace> space;  // arrays: where it lives, once placed
  bool untracked = false;            // manual_dep: no runtime orders tasks by this tensor
  // A buffer that every rank has and every rank reaches. Its first dimension is the rank; it starts
  // as zeros.
  bool window = false;
  Place place;

  int64_t bytes() const { return bytes_of(dtype, element_count(shape)); }
  const std::string& written_name() const { return written.empty() ? name : written; }
  bool is_unnamed() const { return written.ends_with("(...)"); }
};

struct Param {
  VarId var;
  Direction direction = Direction::In;
  Role role = Role::Activation;
  bool filled = false;  // Out: the caller fills it with zeros first, so it may be written in part
  bool unsaid = false;  // In: nobody says what it holds, so what kernels read of it is not known
};

}  // namespace tilewright::ir
