#include "tilewright/compile/unroll/region_map.h"

#include <algorithm>

namespace tilewright::compile {

using ir::EdgeKind;
using ir::Rect;
using ir::TaskId;

namespace {

constexpr int64_t kFewStretches = 8;

int64_t stretch_rows(std::size_t level) { return int64_t{64} << (3 * level); }

}  // namespace

RegionMap::RegionMap(int64_t rows, int64_t cols) : rows_(rows), cols_(cols) {
  bands_.emplace(0, Band{rows, {Cell{0, cols, {}}}});
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

template <class F>
void RegionMap::for_each_cell(const Rect& r, F&& visit) const {
  for (auto it = std::prev(bands_.upper_bound(r.row));
       it != bands_.end() && it->first < r.row_end(); ++it)
    for (const Cell& c : it->second.cells)
      if (c.end > r.col && c.col < r.col_end() && !visit(c)) return;
}

void RegionMap::read(const Rect& r, TaskId task, const Visit& visit) {
  visit_writers(r, visit);
  remember(r, task);
}

void RegionMap::visit_writers(const Rect& r, const Visit& visit) {
  const int64_t rows = stretch_rows(0);
  auto band = std::prev(bands_.upper_bound(r.row));
  for (int64_t row = r.row; row < r.row_end();) {
    const int64_t end = row + rows;
    const bool whole_stretch = r.cols == cols_ && row % rows == 0 && end <= r.row_end();
    if (whole_stretch && band->second.end < end) {
      for (const TaskId writer : writers_of(row / rows, band))
        visit(writer, EdgeKind::ReadAfterWrite);
      row = end;
      if (row < r.row_end()) band = std::prev(bands_.upper_bound(row));
      continue;
    }
    for (const Cell& c : band->second.cells)
      if (c.end > r.col && c.col < r.col_end() && c.writer.task.valid())
        visit(c.writer.task, EdgeKind::ReadAfterWrite);
    row = band->second.end;
    ++band;
  }
}

const std::vector<TaskId>& RegionMap::writers_of(int64_t stretch, Bands::const_iterator band) {
  const auto [known, added] = writers_.try_emplace(stretch);
  auto& list = known->second;
  const int64_t end = (stretch + 1) * stretch_rows(0);
  for (; added && band != bands_.end() && band->first < end; ++band)
    for (const Cell& c : band->second.cells)
      if (c.writer.task.valid() && (list.empty() || list.back() != c.writer.task))
        list.push_back(c.writer.task);
  return list;
}

void RegionMap::remember(const Rect& r, TaskId task) {
  std::size_t level = 0;
  while (r.rows > kFewStretches * stretch_rows(level)) ++level;
  if (readers_.size() <= level) readers_.resize(level + 1);
  const int64_t rows = stretch_rows(level);
  for (int64_t s = r.row / rows; s * rows < r.row_end(); ++s) {
    Readers& readers = readers_[level][s];
    Rect part = r;
    part.row = std::max(r.row, s * rows);
    part.rows = std::min(r.row_end(), (s + 1) * rows) - part.row;
    auto& list = readers.list;
    if (!list.empty() && list.back().task == task && merge_into(list.back().rect, part)) continue;
    if (list.size() >= readers.sweep_at) sweep(readers);
    list.push_back({task, part});
  }
}

bool RegionMap::is_last_touch(const Rect& r, TaskId reader) const {
  bool found = false;
  for_each_cell(r, [&](const Cell& c) {
    found = !c.writer.task.valid() || c.writer.task < reader;
    return !found;
  });
  return found;
}

void RegionMap::sweep(Readers& readers) const {
  std::erase_if(readers.list,
                [&](const Reader& reader) { return !is_last_touch(reader.rect, reader.task); });
  readers.sweep_at = std::max<std::size_t>(64, 2 * readers.list.size());
}

void RegionMap::visit_readers(const Rect& r, const Visit& visit) {
  for (std::size_t level = 0; level < readers_.size(); ++level) {
    const int64_t rows = stretch_rows(level);
    auto it = readers_[level].lower_bound(r.row / rows);
    for (; it != readers_[level].end() && it->first * rows < r.row_end(); ++it) {
      auto& list = it->second.list;
      for (const Reader& reader : list) {
        if (!reader.rect.overlaps(r)) continue;
        const Rect both = intersection(reader.rect, r);
        if (is_last_touch(both, reader.task)) visit(reader.task, EdgeKind::WriteAfterRead);
      }
      std::erase_if(list, [&](const Reader& reader) { return r.contains(reader.rect); });
    }
  }
}

void RegionMap::write(const Rect& r, Writer writer, const Visit& visit) {
  visit_readers(r, visit);
  writers_.erase(writers_.lower_bound(r.row / stretch_rows(0)),
                 writers_.lower_bound((r.row_end() - 1) / stretch_rows(0) + 1));
  auto begin = split_at(r.row);
  const auto end = split_at(r.row_end());
  begin = bands_.find(r.row);  // split_at(row_end) may have copied the band
  bool plain = true;           // every band is now a single cell
  for (auto it = begin; it != end; ++it) {
    Band& band = it->second;
    split_cells(band, r.col);
    split_cells(band, r.col_end());
    for (const Cell& c : band.cells)
      if (c.end > r.col && c.col < r.col_end() && c.writer.task.valid())
        visit(c.writer.task, EdgeKind::WriteAfterWrite);
    const auto first =
        std::ranges::find_if(band.cells, [&](const Cell& c) { return c.col >= r.col; });
    const auto last =
        std::find_if(first, band.cells.end(), [&](const Cell& c) { return c.col >= r.col_end(); });
    *first = Cell{r.col, r.col_end(), writer};
    band.cells.erase(first + 1, last);
    plain = plain && band.cells.size() == 1;
  }
  if (!plain || begin == end) return;
  begin->second.end = r.row_end();  // full-width writes leave one band
  bands_.erase(std::next(begin), end);
}

void RegionMap::for_each_writer(const Rect& r,
                                const std::function<void(const Writer&)>& visit) const {
  for_each_cell(r, [&](const Cell& c) {
    if (c.writer.task.valid()) visit(c.writer);
    return true;
  });
}

}  // namespace tilewright::compile
