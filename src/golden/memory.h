// What every array variable holds: nothing yet, a tile, or a view of GM. Windows of all three are
// read and written here, with their bounds checked.
#pragma once

#include <deque>
#include <variant>
#include <vector>

#include "tilewright/golden/gm.h"
#include "tilewright/golden/scalars.h"

namespace tilewright::golden {

class Memory {
 public:
  explicit Memory(const ir::Program& program) : program_(program), values_(program.vars.size()) {}

  void bind(ir::VarId v, GmView view);
  void bind(ir::VarId v, Tile tile);
  bool is_gm(ir::VarId v) const { return std::holds_alternative<GmView>(values_[v.index()]); }
  void clear();  // every variable holds nothing again

  // All of a variable. A GM tensor is read into `loaded`, which must live as long as the result.
  const Tile& whole(ir::VarId v, std::deque<Tile>& loaded);
  // The window of `shape` at `offset`. An empty `valid` means as much as the variable has there.
  Tile window(const Site& site, ir::VarId v, const Shape& offset, const Shape& shape,
              const Shape& valid);
  // An undefined element is a value, too: a NaN, or the integer that undefined GM holds.
  ScalarValue element(const Site& site, ir::VarId v, const Shape& index);

  // Writes the valid region of `src` into the window at `offset`, or adds it.
  void write(const Site& site, ir::VarId v, const Shape& offset, const Tile& src, bool add);

  // Views of a variable's own memory; a tile that has left its scope is moved to GM first.
  GmView slice_view(const Site& site, ir::VarId v, const Shape& offset, const Shape& shape,
                    const Shape& valid);
  GmView reshape_view(const Site& site, ir::VarId v, const Shape& shape);

  // The end of a scope: what its tiles hold is GM from now on, and GM has no valid shape.
  void settle();

 private:
  using Value = std::variant<std::monostate, Tile, GmView>;
  struct Extents {
    const Shape& shape;
    const Shape& valid;
  };

  // A variable that nobody has written is a buffer full of poison.
  Value& value(ir::VarId v);
  Extents extents(ir::VarId v);
  GmView& in_gm(ir::VarId v);
  Shape place_window(const Site& site, ir::VarId v, const Shape& offset, const Shape& shape,
                     const Shape& valid);

  const ir::Program& program_;
  std::vector<Value> values_;
  std::vector<ir::VarId> bound_;    // for clear()
  std::vector<ir::VarId> partial_;  // tiles bound partly valid in the running scope
};

}  // namespace tilewright::golden
