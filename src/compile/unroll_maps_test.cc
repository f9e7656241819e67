// The structures that unrolling trusts, against models with one entry per element.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tilewright/base/rng.h"
#include "tilewright/compile/unroll/defined_map.h"
#include "tilewright/compile/unroll/moved.h"
#include "tilewright/compile/unroll/region_map.h"

namespace tilewright::compile {
namespace {

using ir::EdgeKind;
using ir::Rect;
using ir::TaskId;

Rect random_rect(Rng& rng, int64_t rows, int64_t cols) {
  Rect r;
  r.rows = rng.integer(1, rows + 1);
  r.cols = rng.integer(1, cols + 1);
  r.row = rng.integer(0, rows - r.rows + 1);
  r.col = rng.integer(0, cols - r.cols + 1);
  return r;
}

template <class F>
void each(const Rect& r, F&& visit) {
  for (int64_t row = r.row; row < r.row_end(); ++row)
    for (int64_t col = r.col; col < r.col_end(); ++col) visit(std::pair(row, col));
}

TEST(DefinedMap, AgreesWithASetOfElements) {
  Rng rng(11);
  for (int round = 0; round < 200; ++round) {
    const int64_t rows = rng.integer(1, 9);
    const int64_t cols = rng.integer(1, 150);
    DefinedMap map(rows, cols, false);
    std::set<std::pair<int64_t, int64_t>> model;
    for (int step = 0; step < 12; ++step) {
      const Rect r = random_rect(rng, rows, cols);
      if (rng.integer(0, 3)) {
        map.set(r);
        each(r, [&](auto e) { model.insert(e); });
      } else {
        map.clear(r);
        each(r, [&](auto e) { model.erase(e); });
      }
      ASSERT_EQ(map.missing(), rows * cols - static_cast<int64_t>(model.size()));
      const Rect q = random_rect(rng, rows, cols);
      bool all = true;
      each(q, [&](auto e) { all = all && model.contains(e); });
      ASSERT_EQ(map.covers(q), all);
      const auto hole = map.first_missing(q);
      ASSERT_EQ(hole.has_value(), !all);
      if (hole) {
        each(*hole, [&](auto e) { ASSERT_FALSE(model.contains(e)); });
      }
      std::set<std::pair<int64_t, int64_t>> missing, expected;
      map.for_each_missing(q, [&](const Rect& m) {
        each(m, [&](auto e) { ASSERT_TRUE(missing.insert(e).second); });
      });
      each(q, [&](auto e) {
        if (!model.contains(e)) expected.insert(e);
      });
      ASSERT_EQ(missing, expected);
    }
  }
}

// A window of `extent` in `array`, which is chosen here and seen under another shape, perhaps
// transposed.
ir::TensorRef random_window(Rng& rng, const Shape& extent, Shape& array) {
  Shape seen;
  for (int64_t n : extent) seen.push_back(n + rng.integer(0, 3));
  const bool transposed = extent.size() > 1 && rng.integer(0, 2) == 1;
  if (transposed) std::swap(seen[seen.size() - 1], seen[seen.size() - 2]);
  const int64_t count = element_count(seen);
  int64_t cols = rng.integer(1, 20);
  while (count % cols != 0) --cols;
  array = {count / cols, cols};
  ir::TensorRef view = ir::TensorRef::whole(ir::BufferId(), seen);
  if (transposed) {
    const auto last = static_cast<std::size_t>(view.rank - 1);
    std::swap(view.shape[last], view.shape[last - 1]);
    std::swap(view.stride[last], view.stride[last - 1]);
  }
  std::array<int64_t, ir::kMaxRank> offset{};
  for (std::size_t d = 0; d < extent.size(); ++d)
    offset[d] = rng.integer(0, view.shape[d] - extent[d] + 1);
  return view.window(offset.data(), extent);
}

std::vector<int64_t> elements_of(const ir::TensorRef& ref) {
  std::vector<int64_t> out{ref.base};
  for (std::size_t d = 0; d < static_cast<std::size_t>(ref.rank); ++d) {
    std::vector<int64_t> next;
    for (int64_t e : out)
      for (int64_t i = 0; i < ref.shape[d]; ++i) next.push_back(e + i * ref.stride[d]);
    out = std::move(next);
  }
  return out;
}

TEST(Moved, CarriesTheCauseOfEveryElement) {
  Rng rng(13);
  for (int round = 0; round < 2000; ++round) {
    Shape extent;
    for (int64_t d = rng.integer(1, 5); d > 0; --d) extent.push_back(rng.integer(1, 7));
    Shape from_array, to_array;
    const Moved moved{random_window(rng, extent, from_array), random_window(rng, extent, to_array)};
    Contents contents(from_array[0], from_array[1], kNoCause);
    for (CauseId cause = 1; cause < 5; ++cause)
      contents.spoil(random_rect(rng, from_array[0], from_array[1]), cause);
    contents.define(random_rect(rng, from_array[0], from_array[1]));

    std::map<std::pair<int64_t, int64_t>, CauseId> expected, found;
    const std::vector<int64_t> from = elements_of(moved.from), to = elements_of(moved.to);
    for (std::size_t i = 0; i < from.size(); ++i)
      contents.for_each_undefined({from[i] / from_array[1], 1, from[i] % from_array[1], 1},
                                  [&](const Rect&, CauseId cause) {
                                    expected[{from[i], to[i]}] = cause;
                                  });
    std::map<int64_t, int64_t> target;
    for (std::size_t i = 0; i < from.size(); ++i) target[from[i]] = to[i];
    for_each_moved(contents, moved, to_array[1], [&](const Rect& a, const Rect& b, CauseId cause) {
      ASSERT_EQ(a.rows * a.cols, b.rows * b.cols);
      std::set<int64_t> there;
      each(b, [&](auto e) { there.insert(e.first * to_array[1] + e.second); });
      each(a, [&](auto e) {
        const int64_t element = e.first * from_array[1] + e.second;
        ASSERT_TRUE(target.contains(element) && there.contains(target[element]));
        const auto entry = std::pair(std::pair(element, target[element]), cause);
        ASSERT_TRUE(found.insert(entry).second);
      });
    });
    ASSERT_EQ(found, expected);
  }
}

// Random reads and writes of `tasks` tasks in a buffer.
void expect_dependences_of_elements(Rng& rng, int64_t rows, int64_t cols, uint32_t tasks,
                                    int64_t most_rows_written = INT64_MAX) {
  struct Element {
    uint32_t writer = UINT32_MAX;
    std::set<uint32_t> readers;
  };
  RegionMap map(rows, cols);
  std::map<std::pair<int64_t, int64_t>, Element> model;
  for (uint32_t task = 0; task < tasks; ++task) {
    Rect r = random_rect(rng, rows, cols);
    const bool read = rng.integer(0, 2) != 0;
    if (!read) r.rows = std::min(r.rows, most_rows_written);
    std::set<std::pair<uint32_t, EdgeKind>> found, expected;
    const auto visit = [&](TaskId from, EdgeKind kind) {
      if (from.value != task) found.insert({from.value, kind});
    };
    if (read) {
      map.read(r, TaskId(task), visit);
      each(r, [&](auto e) {
        if (model[e].writer != UINT32_MAX)
          expected.insert({model[e].writer, EdgeKind::ReadAfterWrite});
        model[e].readers.insert(task);
      });
    } else {
      map.write(r, {TaskId(task), {}}, visit);
      each(r, [&](auto e) {
        for (uint32_t reader : model[e].readers)
          expected.insert({reader, EdgeKind::WriteAfterRead});
        if (model[e].writer != UINT32_MAX)
          expected.insert({model[e].writer, EdgeKind::WriteAfterWrite});
        model[e] = {task, {}};
      });
    }
    ASSERT_EQ(found, expected) << rows << " x " << cols << ", task " << task;
  }
}

TEST(RegionMap, DependencesAreExactlyThoseOfElements) {
  Rng rng(12);
  for (int round = 0; round < 300; ++round)
    expect_dependences_of_elements(rng, rng.integer(1, 12), rng.integer(1, 12), 25);
}

// Readers of many rows stand in another list than those of few, and lists are swept.
TEST(RegionMap, DependencesInTallBuffersAreExactlyThoseOfElements) {
  Rng rng(13);
  for (int round = 0; round < 6; ++round)
    expect_dependences_of_elements(rng, rng.integer(500, 1500), rng.integer(1, 3), 40);
  for (int round = 0; round < 10; ++round)
    expect_dependences_of_elements(rng, rng.integer(1, 4), rng.integer(1, 4), 600);
}

// The writers of a stretch of rows are remembered until one of the rows is written again.
TEST(RegionMap, DependencesOfRowsWrittenOneByOneAreExactlyThoseOfElements) {
  Rng rng(14);
  for (int round = 0; round < 6; ++round)
    expect_dependences_of_elements(rng, rng.integer(200, 400), rng.integer(1, 3), 200, 2);
}

}  // namespace
}  // namespace tilewright::compile
