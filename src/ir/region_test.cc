#include "tilewright/base/rng.h"
#include "tilewright/ir/region.h"
#include "tilewright/ir/task_graph.h"

#include <gtest/gtest.h>

#include <set>


namespace tilewright::ir {
namespace {

std::multiset<int64_t> elements_of(const TensorRef& ref) {
  std::multiset<int64_t> out{ref.base};
  for (int d = 0; d < ref.rank; ++d) {
    std::multiset<int64_t> next;
    for (int64_t e : out)
      for (int64_t k = 0; k < ref.shape[static_cast<std::size_t>(d)]; ++k)
        next.insert(e + k * ref.stride[static_cast<std::size_t>(d)]);
    out = std::move(next);
  }
  return out;
}

TEST(Region, RectanglesAreExactlyTheElementsOfAnyView) {
  Rng rng(3);
  for (int n = 0; n < 2000; ++n) {
    const int rank = static_cast<int>(rng.integer(1, 5));
    Shape shape;
    for (int d = 0; d < rank; ++d) shape.push_back(rng.integer(1, 6));
    TensorRef ref = TensorRef::whole(BufferId(0), shape);
    if (rng.integer(0, 2)) {
      int64_t offset[kMaxRank] = {};
      Shape extent;
      for (int d = 0; d < rank; ++d) {
        const int64_t size = shape[static_cast<std::size_t>(d)];
        extent.push_back(rng.integer(1, size + 1));
        offset[d] = rng.integer(0, size - extent.back() + 1);
      }
      ref = ref.window(offset, extent);
    }
    if (ref.is_dense() && rng.integer(0, 2)) ref = ref.reshaped({ref.elements()});
    std::multiset<int64_t> covered;
    for_each_rect(ref, shape.back(), [&](const Rect& r) {
      ASSERT_LE(r.col_end(), shape.back());
      for (int64_t row = r.row; row < r.row_end(); ++row)
        for (int64_t col = r.col; col < r.col_end(); ++col) covered.insert(row * shape.back() + col);
    });
    ASSERT_EQ(covered, elements_of(ref));
  }
}

TEST(Region, TwoDimensionalWindowsAreOneRectangle) {
  const TensorRef whole = TensorRef::whole(BufferId(0), {64, 128});
  const int64_t offset[kMaxRank] = {16, 32};
  int calls = 0;
  for_each_rect(whole.window(offset, {16, 64}), 128, [&](const Rect& r) {
    ++calls;
    EXPECT_EQ(r, (Rect{16, 16, 32, 64}));
  });
  EXPECT_EQ(calls, 1);
}

TEST(Region, MergeGrowsOnlyIntoRectangles) {
  Rect a{0, 4, 0, 8};
  EXPECT_TRUE(merge_into(a, {0, 4, 8, 8}));
  EXPECT_EQ(a, (Rect{0, 4, 0, 16}));
  EXPECT_FALSE(merge_into(a, {4, 1, 0, 8}));
  EXPECT_FALSE(merge_into(a, {0, 4, 17, 1}));
  EXPECT_TRUE(merge_into(a, {1, 2, 3, 4}));
  EXPECT_EQ(a, (Rect{0, 4, 0, 16}));
}

}  // namespace
}  // namespace tilewright::ir
