// The two structures that unrolling trusts, against models with one entry per element.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tilewright/base/rng.h"
#include "tilewright/compile/unroll/defined_map.h"
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

TEST(RegionMap, DependencesAreExactlyThoseOfElements) {
  struct Element {
    uint32_t writer = UINT32_MAX;
    std::set<uint32_t> readers;
  };
  Rng rng(12);
  for (int round = 0; round < 300; ++round) {
    const int64_t rows = rng.integer(1, 12);
    const int64_t cols = rng.integer(1, 12);
    RegionMap map(rows, cols);
    std::map<std::pair<int64_t, int64_t>, Element> model;
    for (uint32_t task = 0; task < 25; ++task) {
      const Rect r = random_rect(rng, rows, cols);
      std::set<std::pair<uint32_t, EdgeKind>> found, expected;
      const auto visit = [&](TaskId from, EdgeKind kind) {
        if (from.value != task) found.insert({from.value, kind});
      };
      if (rng.integer(0, 2)) {
        map.read(r, TaskId(task), visit);
        each(r, [&](auto e) {
          if (model[e].writer != UINT32_MAX) expected.insert({model[e].writer, EdgeKind::ReadAfterWrite});
          model[e].readers.insert(task);
        });
      } else {
        map.write(r, {TaskId(task), {}}, visit);
        each(r, [&](auto e) {
          for (uint32_t reader : model[e].readers) expected.insert({reader, EdgeKind::WriteAfterRead});
          if (model[e].writer != UINT32_MAX) expected.insert({model[e].writer, EdgeKind::WriteAfterWrite});
          model[e] = {task, {}};
        });
      }
      ASSERT_EQ(found, expected) << "round " << round << " task " << task;
    }
  }
}

}  // namespace
}  // namespace tilewright::compile
