#include "tilewright/compile/unroll/region_map.h"

#include <algorithm>

namespace tilewright::compile {

using ir::EdgeKind;
using ir::Rect;
using ir::TaskId;

RegionMap::RegionMap(int64_t rows, int64_t cols) : rows_(rows) {
  bands_.emplace(0, Band{rows, {Cell{0, cols, {}, {}}}});
}

RegionMap::Bands::iterator RegionMap::split_at(int64_t row) {
  if (row >= rows_) return bands_.end();
  auto it = std::prev(bands_.upper_bound(row));
  if (it->first == row) return it;
  Band lower = it->second;  // rows [row, end)
  it->second.end = row;
  return bands_.emplace(row, std::move(lower)).first;
}

void RegionMap::split_cells(Band& band, int64_t col) {
  for (std::size_t i = 0; i < band.cells.size(); ++i) {
    Cell& c = band.cells[i];
    if (c.col < col && col < c.end) {
      Cell right = c;
      right.col = col;
      c.end = col;
      band.cells.insert(band.cells.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(right));
      return;
    }
  }
}

void RegionMap::read(const Rect& r, TaskId task, const Visit& visit) {
  for (auto it = std::prev(bands_.upper_bound(r.row)); it != bands_.end() && it->first < r.row_end();
       ++it) {
    for (Cell& c : it->second.cells) {
      if (c.end <= r.col || c.col >= r.col_end()) continue;
      if (c.writer.task.valid()) visit(c.writer.task, EdgeKind::ReadAfterWrite);
      if (c.readers.empty() || c.readers.back().task != task || !merge_into(c.readers.back().rect, r))
        c.readers.push_back({task, r});
    }
  }
}

void RegionMap::write(const Rect& r, Writer writer, const Visit& visit) {
  auto begin = split_at(r.row);
  const auto end = split_at(r.row_end());
  begin = bands_.find(r.row);  // split_at(row_end) may have copied the band
  bool plain = true;           // every band is now a single cell
  for (auto it = begin; it != end; ++it) {
    Band& band = it->second;
    split_cells(band, r.col);
    split_cells(band, r.col_end());
    for (const Cell& c : band.cells) {
      if (c.end <= r.col || c.col >= r.col_end()) continue;
      // A reader's rectangle may reach beyond this cell into parts rewritten since.
      const Rect cell{it->first, band.end - it->first, c.col, c.end - c.col};
      for (const Reader& reader : c.readers)
        if (reader.rect.overlaps(cell)) visit(reader.task, EdgeKind::WriteAfterRead);
      if (c.writer.task.valid()) visit(c.writer.task, EdgeKind::WriteAfterWrite);
    }
    const auto first = std::ranges::find_if(band.cells, [&](const Cell& c) { return c.col >= r.col; });
    const auto last = std::find_if(first, band.cells.end(), [&](const Cell& c) { return c.col >= r.col_end(); });
    *first = Cell{r.col, r.col_end(), writer, {}};
    band.cells.erase(first + 1, last);
    plain = plain && band.cells.size() == 1;
  }
  if (!plain || begin == end) return;
  begin->second.end = r.row_end();  // full-width writes leave one band
  bands_.erase(std::next(begin), end);
}

void RegionMap::for_each_writer(const Rect& r, const std::function<void(const Writer&)>& visit) const {
  for (auto it = std::prev(bands_.upper_bound(r.row)); it != bands_.end() && it->first < r.row_end();
       ++it)
    for (const Cell& c : it->second.cells)
      if (c.end > r.col && c.col < r.col_end() && c.writer.task.valid()) visit(c.writer);
}

}  // namespace tilewright::compile
