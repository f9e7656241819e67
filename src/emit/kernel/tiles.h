// The tiles of one side of a kernel: which C++ object stands for a value, how it lies in memory,
// and at which address of the plan.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "tilewright/emit/kernel/form.h"
#include "tilewright/emit/refusal.h"
#include "tilewright/emit/spelling.h"
#include "tilewright/emit/text.h"
#include "tilewright/ir/plan.h"

namespace tilewright::emit {

// A window of a tile in Mat: instructions name the whole tile and where the window begins.
struct MatWindow {
  ir::VarId root;
  ir::Expr row, col;
};

class Tiles {
 public:
  Tiles(const ir::Program& program, const ir::Kernel& kernel, ir::CoreSide side,
        Refusals& refusals);

  const Form& form(ir::VarId v) const { return forms_.at(v); }
  bool has(ir::VarId v) const { return forms_.contains(v); }
  // The object that an instruction names.
  std::string name(ir::VarId v) const { return spell_.name(v); }
  // The same elements as one row; the value itself unless it is a column.
  std::string row_name(ir::VarId v);
  // A product takes it with rows and columns exchanged.
  bool exchanged_by_product(ir::VarId v) const { return exchanged_.contains(v); }
  MatWindow window(ir::VarId v) const;
  // An accumulator that may hold zeros which no product has written.
  bool cleared(ir::VarId v) const { return cleared_.contains(v); }
  std::string address(ir::VarId v) const;

  // Objects with their addresses, in the order of the instructions.
  void declare(Text& out) const;
  // At a Name: the address of a view that only the running kernel knows.
  void begin_view(const ir::Instruction& in, Text& out);
  // Before a write that takes the next copy of its storage.
  void next_copy(const ir::Instruction& in, Text& out) const;
  // Before a write of a tile that may be valid in part: how much of it is.
  void set_valid(const ir::Instruction& in, Text& out);
  // Rows and columns that are valid, as the program sees the tile.
  struct Extents {
    std::string rows, cols;
  };
  Extents extents(ir::VarId v) const;
  static std::string turn(int storage);  // the variable that counts the rotations

 private:
  void collect(const ir::Instruction& in);
  void add(ir::VarId v, int storage, const Place& place, const std::string& statement);
  void add_view(const ir::Instruction& in);
  std::optional<Extents> stated(const ir::Instruction& in);
  Extents resulting(const ir::Instruction& in);
  void refuse(const ir::Instruction& in, const std::string& what, const std::string& law,
              const std::string& help);
  void assign(ir::VarId v, const std::string& address, Text& out) const;
  const ir::Storage& storage_of(ir::VarId v) const;

  struct View {
    ir::VarId source;
    std::optional<int64_t> constant;  // the offset in bytes, if it is one
    std::string bytes;                // the same as an expression
  };

  const ir::Program& p_;
  const ir::Kernel& k_;
  ir::CoreSide side_;
  Refusals& refusals_;
  Spelling spell_;
  std::map<ir::VarId, Form> forms_;
  std::map<ir::VarId, int> storages_;
  std::map<ir::VarId, View> views_;         // in Vec
  std::map<ir::VarId, MatWindow> windows_;  // in Mat
  std::set<ir::VarId> exchanged_;           // by a product
  std::set<ir::VarId> loaded_exchanged_;
  std::set<ir::VarId> cleared_, partial_;
  std::set<ir::VarId> rows_;  // columns that are also used as rows
  std::vector<ir::VarId> order_;
};

}  // namespace tilewright::emit
