// Who wrote and who read each part of a buffer last: the exact RAW, WAR and WAW dependences.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tilewright/ir/region.h"
#include "tilewright/ir/task_graph.h"

namespace tilewright::compile {

class RegionMap {
 public:
  struct Writer {
    ir::TaskId task;
    ir::VarId via;  // the name it was written through
  };

  RegionMap() = default;
  RegionMap(int64_t rows, int64_t cols);

  using Visit = std::function<void(ir::TaskId, ir::EdgeKind)>;
  // Calls `visit` with the tasks a reader must follow, and remembers the reader.
  void read(const ir::Rect& r, ir::TaskId task, const Visit& visit);
  // The same for a writer, which replaces earlier writers and readers of the region.
  void write(const ir::Rect& r, Writer writer, const Visit& visit);
  void for_each_writer(const ir::Rect& r, const std::function<void(const Writer&)>& visit) const;

 private:
  struct Cell {  // columns [col, end) of a band
    int64_t col, end;
    Writer writer;
  };
  struct Band {  // rows [key, end); cells cover all columns in order
    int64_t end;
    std::vector<Cell> cells;
  };
  using Bands = std::map<int64_t, Band>;
  struct Reader {
    ir::TaskId task;
    ir::Rect rect;
  };
  // Readers of a stretch of rows, in the order of their tasks. One whose elements have all been
  // written since is of no interest any more, and goes when the list is next swept.
  struct Readers {
    std::vector<Reader> list;
    std::size_t sweep_at = 64;
  };

  Bands::iterator split_at(int64_t row);
  static void split_cells(Band& band, int64_t col);
  template <class F>
  void for_each_cell(const ir::Rect& r, F&& visit) const;  // until `visit` returns false
  void visit_writers(const ir::Rect& r, const Visit& visit);
  // Of a stretch of rows that begins in this band and has several.
  const std::vector<ir::TaskId>& writers_of(int64_t stretch, Bands::const_iterator band);
  void remember(const ir::Rect& r, ir::TaskId task);
  void visit_readers(const ir::Rect& r, const Visit& visit);
  // Whether an element of the rectangle has not been written since the task read it.
  bool is_last_touch(const ir::Rect& r, ir::TaskId reader) const;
  void sweep(Readers& readers) const;

  int64_t rows_ = 0, cols_ = 0;
  Bands bands_;
  // The writers of a stretch of 64 rows over all columns, where several have written it and it was
  // read since: a cache of keys and values is written row by row, and read as a whole by many.
  std::map<int64_t, std::vector<ir::TaskId>> writers_;
  // By stretch, of 64 rows in the first map and of eight times as many in each further one. A
  // reader stands in the first in which it has few stretches.
  std::vector<std::map<int64_t, Readers>> readers_;
};

}  // namespace tilewright::compile
