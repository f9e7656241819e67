#include "tilewright/ir/edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

#include "tilewright/base/rng.h"

namespace tilewright::ir {
namespace {

std::vector<Edge> listed(const EdgeList& list) { return {list.begin(), list.end()}; }

// Rows of edges at even distances among others, tasks without edges, one task twice.
TEST(Edges, AreGivenBackAsTheyWereAdded) {
  Rng rng(5);
  Edges edges;
  std::vector<std::vector<Edge>> want;
  std::size_t count = 0;
  for (int task = 0; task < 300; ++task) {
    edges.begin_task();
    auto& mine = want.emplace_back();
    for (int64_t rows = rng.integer(0, 4); rows > 0; --rows) {
      const int64_t first = rng.integer(4000, 5000), step = rng.integer(-50, 50);
      const auto kind = static_cast<EdgeKind>(rng.integer(0, 3));
      const BufferId buffer(static_cast<std::size_t>(rng.integer(0, 2)));
      for (int64_t i = rng.integer(1, 20); i > 0; --i)
        mine.push_back({TaskId(static_cast<std::size_t>(first + i * step)), kind, buffer});
    }
    for (const Edge& e : mine) edges.add(e);
    count += mine.size();
  }
  EXPECT_EQ(edges.size(), count);
  EXPECT_EQ(edges.all().size(), count);
  EXPECT_LT(edges.runs(), count / 4);
  for (std::size_t t = 0; t < want.size(); ++t) {
    const EdgeList list = edges.of(TaskId(t));
    EXPECT_EQ(listed(list), want[t]);
    EXPECT_EQ(list.size(), want[t].size());
    EXPECT_EQ(list.empty(), want[t].empty());
    std::vector<Edge> backwards;
    for (const Edge& e : list | std::views::reverse) backwards.push_back(e);
    std::ranges::reverse(want[t]);
    EXPECT_EQ(backwards, want[t]);
  }
}

TEST(Edges, OfAnotherTask) {
  Edges edges;
  edges.begin_task();
  edges.begin_task();
  for (std::size_t from : {7u, 9u, 11u, 4u})
    edges.add({TaskId(from), EdgeKind::WriteAfterRead, BufferId(1)});
  edges.begin_task();
  edges.add_all_of(TaskId(1));
  EXPECT_EQ(edges.size(), 8u);
  EXPECT_EQ(listed(edges.of(TaskId(2))), listed(edges.of(TaskId(1))));
  EXPECT_TRUE(edges.of(TaskId(0)).empty());
}

}  // namespace
}  // namespace tilewright::ir
