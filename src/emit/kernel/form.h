// How a value lies in its memory, as a tile type of PTO-ISA. The plan has given it its bytes; a
// form says which element is where in them.
#pragma once

#include <optional>
#include <string>

#include "tilewright/ir/lowered.h"
#include "tilewright/ir/program.h"

namespace tilewright::emit {

// Blocks of 16 rows by 32 bytes in cube memories; plain rows, or one column, in Vec.
enum class TileLayout : uint8_t {
  Rows,    // row after row
  Column,  // one column, element after element
  Nz,      // columns of blocks, rows inside a block: Mat
  Zn,      // rows of blocks, columns inside a block: Right, and Mat seen transposed
  Zz,      // rows of blocks, rows inside a block: Left
  Acc,     // columns of blocks of 16 by 16
};

struct Form {
  MemorySpace space = MemorySpace::Vec;
  DType dtype = DType::F32;  // of an element in memory, which in Acc is wider than the value's
  TileLayout layout = TileLayout::Rows;
  int64_t rows = 1, cols = 1;              // as they lie in memory
  int64_t valid_rows = 1, valid_cols = 1;  // that hold the value
  bool partial = false;                    // fewer may be valid: the running kernel says how many
  ir::Pad pad = ir::Pad::Null;             // what a fillpad writes behind them

  std::string type() const;  // "Tile<TileType::Vec, float, 16, 128, ...>"
  int64_t bytes_of_row() const { return cols * bits(dtype) / 8; }
};

// Of a whole value; nothing if its rows cannot lie as the plan has them, and then `problem` says
// why. `transposed`: a product takes it with rows and columns exchanged.
std::optional<Form> form_of(const ir::Var& v, bool transposed, std::string& problem);

// A column of n elements as a row: element-wise instructions work on rows.
Form as_row(const Form& column);
// A tile in Mat with rows and columns exchanged: the same bytes.
Form exchanged(const Form& mat);

}  // namespace tilewright::emit
