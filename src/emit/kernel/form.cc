#include "tilewright/emit/kernel/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/check.h"
#include "tilewright/emit/spelling.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::emit {

using namespace ir;

namespace {

constexpr int64_t kRowAlignment = 32;  // bytes: rows in Vec begin at multiples of it
constexpr int64_t kBlockRows = 16;
constexpr int64_t kBlockBytes = 32;

constexpr int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

std::string_view tile_type(MemorySpace s) {
  switch (s) {
    case MemorySpace::Vec: return "TileType::Vec";
    case MemorySpace::Mat: return "TileType::Mat";
    case MemorySpace::Left: return "TileType::Left";
    case MemorySpace::Right: return "TileType::Right";
    case MemorySpace::Acc: return "TileType::Acc";
    case MemorySpace::Bias: return "TileType::Bias";
    case MemorySpace::GM: break;
  }
  bug("a tile in GM");
}

// The order of blocks, the order in a block, the bytes of a block.
struct LayoutWords {
  std::string_view blocks, inside;
  int bytes;
};
LayoutWords words(TileLayout l) {
  switch (l) {
    case TileLayout::Rows: return {"RowMajor", "NoneBox", 512};
    case TileLayout::Column: return {"ColMajor", "NoneBox", 512};
    case TileLayout::Nz: return {"ColMajor", "RowMajor", 512};
    case TileLayout::Zn: return {"RowMajor", "ColMajor", 512};
    case TileLayout::Zz: return {"RowMajor", "RowMajor", 512};
    case TileLayout::Acc: return {"ColMajor", "RowMajor", 1024};
  }
  bug("the words of a layout");
}

TileLayout layout_of(MemorySpace s, int64_t cols) {
  switch (s) {
    case MemorySpace::Vec: return cols == 1 ? TileLayout::Column : TileLayout::Rows;
    case MemorySpace::Mat: return TileLayout::Nz;
    case MemorySpace::Left: return TileLayout::Zz;
    case MemorySpace::Right: return TileLayout::Zn;
    case MemorySpace::Acc: return TileLayout::Acc;
    case MemorySpace::Bias: return TileLayout::Rows;
    case MemorySpace::GM: break;
  }
  bug("the layout of a tile in GM");
}

// Rows of Vec lie without gaps, so more than one row must fill whole units of 32 bytes.
bool pad_rows(Form& f, std::string& problem) {
  const int64_t unit = kRowAlignment * 8 / bits(f.dtype);
  if (f.layout == TileLayout::Column) {
    f.rows = round_up(f.rows, unit);
    return true;
  }
  if (f.rows > 1 && f.cols % unit != 0) {
    problem = fmt::format("a tile with {} rows of {} bytes", f.rows, f.bytes_of_row());
    return false;
  }
  f.cols = round_up(f.cols, unit);
  return true;
}

void pad_blocks(Form& f) {
  const int64_t c0 = kBlockBytes * 8 / bits(f.dtype);
  const int64_t wide = f.space == MemorySpace::Acc ? kBlockRows : std::max(c0, kBlockRows);
  f.rows = round_up(f.rows, f.space == MemorySpace::Right ? wide : kBlockRows);
  f.cols = round_up(f.cols, wide);
}

std::string_view pad_value(Pad p) {
  switch (p) {
    case Pad::Null: return "PadValue::Null";
    case Pad::Zero: return "PadValue::Zero";
    case Pad::Max: return "PadValue::Max";
    case Pad::Min: return "PadValue::Min";
  }
  bug("the words of a pad");
}

}  // namespace

// Without what the template of Tile supplies by itself.
std::string Form::type() const {
  const LayoutWords w = words(layout);
  const bool whole = !partial && valid_rows == rows && valid_cols == cols;
  std::string out = fmt::format("Tile<{}, {}, {}, {}", tile_type(space),
                                cpp_type(dtype).value_or("void"), rows, cols);
  if (layout == TileLayout::Rows && whole && pad == Pad::Null) return out + ">";
  out += fmt::format(", BLayout::{}, {}, {}", w.blocks, partial ? -1 : valid_rows,
                     partial ? -1 : valid_cols);
  if (w.inside == "NoneBox" && pad == Pad::Null) return out + ">";
  out += fmt::format(", SLayout::{}", w.inside);
  if (pad != Pad::Null) return out + fmt::format(", {}, {}>", w.bytes, pad_value(pad));
  return out + (w.bytes == 512 ? ">" : fmt::format(", {}>", w.bytes));
}

std::optional<Form> form_of(const Var& v, bool transposed, std::string& problem) {
  Form f;
  f.space = v.space.value_or(MemorySpace::Vec);
  f.dtype = v.dtype;
  if (f.space == MemorySpace::Acc) f.dtype = is_float(v.dtype) ? DType::F32 : DType::I32;
  if (!cpp_type(f.dtype)) {
    problem = fmt::format("a tile of {}", dtype_name(v.dtype));
    return std::nullopt;
  }
  const RowsCols size = rows_cols(v.shape);
  f.rows = f.valid_rows = size.rows;
  f.cols = f.valid_cols = size.cols;
  f.layout = layout_of(f.space, f.cols);
  if (transposed) {
    std::swap(f.rows, f.cols);
    std::swap(f.valid_rows, f.valid_cols);
    if (f.space == MemorySpace::Mat) f.layout = TileLayout::Zn;
  }
  if (f.space == MemorySpace::Vec || f.space == MemorySpace::Bias) {
    if (!pad_rows(f, problem)) return std::nullopt;
  } else {
    pad_blocks(f);
  }
  return f;
}

Form as_row(const Form& column) {
  Form f = column;
  if (column.layout != TileLayout::Column) return f;
  f.layout = TileLayout::Rows;
  std::swap(f.rows, f.cols);
  std::swap(f.valid_rows, f.valid_cols);
  return f;
}

Form exchanged(const Form& mat) {
  Form f = mat;
  f.layout = mat.layout == TileLayout::Nz ? TileLayout::Zn : TileLayout::Nz;
  std::swap(f.rows, f.cols);
  std::swap(f.valid_rows, f.valid_cols);
  return f;
}

}  // namespace tilewright::emit
