// Pages of the KV cache: taken when a sequence reaches them, given back when it ends.
#include "tilewright/runtime/page_table.h"

#include "support.h"

namespace runtime_test {
namespace {

using runtime::PageTable;

TEST(Pages, AreTakenWhenReachedAndGivenBack) {
  HostArray table(DType::I32, {2, 3});
  PageTable pages(2, 3, 6, 16, table);
  const int a = pages.open(), b = pages.open();
  EXPECT_EQ(pages.free_slots(), 0);
  pages.resize(a, 16);
  EXPECT_EQ(pages.pages_in_use(), 1);
  pages.resize(b, 17);
  pages.resize(a, 40);
  EXPECT_EQ(pages.pages_in_use(), 5);
  // Every page belongs to one sequence: rows of different pages do not meet.
  EXPECT_EQ(pages.cache_row(a, 0, 2), 0);
  EXPECT_EQ(pages.cache_row(b, 3, 2), 1 * 2 * 16 + 3);
  EXPECT_EQ(pages.cache_row(b, 16, 2), 2 * 2 * 16);
  EXPECT_EQ(pages.cache_row(a, 39, 2), 4 * 2 * 16 + 7);
  pages.close(a);
  EXPECT_EQ(pages.pages_in_use(), 2);
  EXPECT_EQ(pages.free_slots(), 1);
  // The page given back last is taken first: what was never touched stays so.
  EXPECT_EQ(pages.open(), a);
  pages.resize(a, 1);
  EXPECT_EQ(pages.cache_row(a, 0, 2), 0);
}

TEST(Pages, FollowTheSequencesOfAnEngine) {
  const TemporaryDirectory d;
  const Checkpoint model =
      transformer_test::made(d, {transformer_test::small_config(Family::Qwen3, true, 4, 2)});
  Engine engine(model, small_options());
  std::vector<Request> requests;
  for (int64_t i = 0; i < 9; ++i)
    requests.push_back(request_of(some_tokens(3 + 11 * i, 400, i), 6));
  std::vector<int64_t> seen;
  for (Request& r : requests) r.on_token = [&](const runtime::Chosen&) { seen.push_back(engine.pages_in_use()); };
  const auto answers = runtime::generate(engine, requests);
  EXPECT_EQ(engine.pages_in_use(), 0);
  EXPECT_EQ(engine.free_slots(), 4);
  EXPECT_GT(std::ranges::max(seen), 4);                      // several at once ...
  EXPECT_LE(std::ranges::max(seen), 4 * ((200 + 15) / 16));  // ... in four slots
  for (const Answer& a : answers) EXPECT_EQ(a.tokens.size(), 6u);
}

}  // namespace
}  // namespace runtime_test
