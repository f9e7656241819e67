#include "tilewright/emit/kernel/tiles.h"

#include <fmt/format.h>

#include "tilewright/base/check.h"
#include "tilewright/emit/kernel/partial.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/valid_extent.h"

namespace tilewright::emit {

using namespace ir;

namespace {

std::string hex(int64_t n) { return fmt::format("0x{:x}", n); }

// Rows and columns of a tile's beginning in a tile of shape `source`; nothing if the rows of the
// window do not follow each other.
std::optional<std::pair<Expr, Expr>> row_and_column(const std::vector<Expr>& offset,
                                                    const Shape& source, const Shape& window) {
  if (offset.empty()) return std::pair{Expr(0), Expr(0)};
  const std::size_t rank = source.size();
  Shape extent(rank, 1);
  std::copy(window.begin(), window.end(),
            extent.begin() + static_cast<std::ptrdiff_t>(rank - window.size()));
  Expr row = 0;
  bool begun = false;  // a dimension of the window with several rows is behind us
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    if (begun && extent[d] != source[d]) return std::nullopt;
    begun = begun || extent[d] > 1;
    row = row * Expr(source[d]) + offset[d];
  }
  return std::pair{row, offset[rank - 1]};
}

}  // namespace

Tiles::Tiles(const Program& program, const Kernel& kernel, CoreSide side, Refusals& refusals)
    : p_(program), k_(kernel), side_(side), refusals_(refusals), spell_(program) {
  partial_ = partial_tiles(kernel.lowered);
  for (const Instruction& in : kernel.lowered.instructions) {
    if (in.action == Action::Matmul && in.op.a_trans) exchanged_.insert(in.op.args[0]);
    if (in.action == Action::Matmul && in.op.b_trans) exchanged_.insert(in.op.args[1]);
    if (in.action == Action::Clear) cleared_.insert(in.op.dst);
    if (in.action == Action::Load && in.op.transpose) loaded_exchanged_.insert(in.op.dst);
  }
  for (const Instruction& in : kernel.lowered.instructions)
    if (in.side == side) collect(in);
}

void Tiles::refuse(const Instruction& in, const std::string& what, const std::string& law,
                   const std::string& help) {
  refusals_.add(in.place(), what + " in " + statement_text(in.op, p_, Names::Written), law, help);
}

void Tiles::collect(const Instruction& in) {
  if (in.action == Action::Read) return;
  if (in.is_view()) {
    if (in.src[0].storage >= 0) add_view(in);
    return;
  }
  const std::string statement = statement_text(in.op, p_, Names::Written);
  if (in.dst && in.action != Action::Push && in.dst->storage >= 0)
    add(in.dst->var, in.dst->storage, in.place(), statement);
  if (in.op.kind == OpKind::FillPad && forms_.contains(in.op.dst))
    forms_.at(in.op.dst).pad = in.op.pad;
}

void Tiles::add(VarId v, int storage, const Place& place, const std::string& statement) {
  if (forms_.contains(v)) return;
  std::string problem;
  std::optional<Form> form = form_of(p_[v], exchanged_.contains(v), problem);
  if (!form) {
    refusals_.add(place, fmt::format("{} in {}", problem, statement),
                  "rows in Vec fill whole units of 32 bytes, and elements are of a type of PTO-ISA",
                  "choose a width that is a multiple of 32 bytes, or another element type");
    form = Form{};
  }
  if (loaded_exchanged_.contains(v)) form->layout = TileLayout::Zn;
  form->partial = partial_.contains(v);
  forms_.emplace(v, *form);
  storages_.emplace(v, storage);
  order_.push_back(v);
}

void Tiles::add_view(const Instruction& in) {
  const VarId v = in.dst->var, source = in.src[0].var;
  if (!forms_.contains(source)) return;  // a view of what was refused
  add(v, in.dst->storage, in.place(), statement_text(in.op, p_, Names::Written));
  Form& form = forms_.at(v);
  const Form& from = forms_.at(source);
  const auto begin = row_and_column(in.view->offset, p_[source].shape, p_[v].shape);
  const bool dense =
      from.layout == TileLayout::Column || from.cols == from.valid_cols || from.valid_rows == 1;
  if (!begin || (in.view->reshaped && !dense)) {
    refuse(in, "a window whose rows do not follow each other",
           "a tile of PTO-ISA is a window of rows and columns", "slice fewer dimensions at once");
    return;
  }
  if (form.space != MemorySpace::Vec) {
    const MatWindow root = window(source);
    windows_[v] = {root.root, root.row + begin->first, root.col + begin->second};
    if (in.view->reshaped && rows_cols(p_[v].shape) != rows_cols(p_[source].shape))
      refuse(in, "a tile in Mat with another shape", "blocks of Mat keep their rows",
             "reshape the tensor before it is loaded");
    return;
  }
  Expr elements;
  if (from.layout == TileLayout::Column) {
    elements = begin->first;
  } else {
    elements = begin->first * Expr(from.cols) + begin->second;
    if (!in.view->reshaped && form.layout == TileLayout::Rows) form.cols = from.cols;
    if (!in.view->reshaped && form.layout == TileLayout::Column && from.cols > 1) {
      form.layout = TileLayout::Rows;  // one column of many: its elements are rows apart
      form.rows = form.valid_rows;
      form.cols = from.cols;
    }
  }
  const Expr bytes = elements * Expr(bits(form.dtype) / 8);
  views_[v] = {source, std::nullopt, spell_.text(bytes)};
  if (bytes.is_constant()) views_[v].constant = bytes.constant();
  if (!multiple_of(bytes, 32))
    refuse(in, fmt::format("a window that begins {} bytes into its tile", spell_.text(bytes)),
           "tiles in Vec begin at multiples of 32 bytes",
           "slice at a multiple of 32 bytes, or load the window from GM");
}

MatWindow Tiles::window(VarId v) const {
  const auto it = windows_.find(v);
  return it == windows_.end() ? MatWindow{v, 0, 0} : it->second;
}

const Storage& Tiles::storage_of(VarId v) const {
  return k_.lowered.storage[static_cast<std::size_t>(storages_.at(v))];
}

std::string Tiles::turn(int storage) { return fmt::format("s{}_turn", storage); }

std::string Tiles::row_name(VarId v) {
  if (forms_.at(v).layout != TileLayout::Column) return name(v);
  rows_.insert(v);
  return name(v) + "_row";
}

std::string Tiles::address(VarId v) const {
  const auto view = views_.find(v);
  if (view != views_.end()) {
    const std::string base = address(view->second.source);
    return view->second.constant == 0 ? base : fmt::format("{} + {}", base, view->second.bytes);
  }
  const Storage& s = storage_of(v);
  if (s.copies == 1) return hex(s.address);
  return fmt::format("{} + {} % {} * {}", hex(s.address), turn(storages_.at(v)), s.copies, s.bytes);
}

void Tiles::assign(VarId v, const std::string& address, Text& out) const {
  out.line(fmt::format("TASSIGN({}, {});", name(v), address));
  if (rows_.contains(v)) out.line(fmt::format("TASSIGN({}_row, {});", name(v), address));
}

void Tiles::declare(Text& out) const {
  std::set<int> counted;
  for (VarId v : order_) {
    if (windows_.contains(v)) continue;
    const Storage& s = storage_of(v);
    const auto extents = [](const Form& f) {
      return f.partial ? fmt::format("({}, {})", f.valid_rows, f.valid_cols) : "";
    };
    const Form row = as_row(form(v));
    out.line(fmt::format("{} {}{};  // s{}", form(v).type(), name(v), extents(form(v)),
                         storages_.at(v)));
    if (rows_.contains(v))
      out.line(
          fmt::format("{} {}_row{};  // the same elements", row.type(), name(v), extents(row)));
    if (cleared_.contains(v)) out.line(fmt::format("bool {}_cleared = false;", name(v)));
    if (s.copies > 1 && counted.insert(storages_.at(v)).second)
      out.line(fmt::format("int64_t {} = -1;  // of {} copies, the one in use",
                           turn(storages_.at(v)), s.copies));
    if (s.copies == 1 && !views_.contains(v)) assign(v, hex(s.address), out);
  }
}

void Tiles::begin_view(const Instruction& in, Text& out) {
  const VarId v = in.dst->var;
  if (views_.contains(v)) assign(v, address(v), out);
}

void Tiles::next_copy(const Instruction& in, Text& out) const {
  if (!in.rotates || in.action == Action::Push) return;
  out.line(fmt::format("{} += 1;", turn(in.dst->storage)));
  assign(in.dst->var, address(in.dst->var), out);
}

}  // namespace tilewright::emit
