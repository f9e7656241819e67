// Wider tiles in loops over a context whose length is known only when the program runs.
#include "rewrite_cases.h"

namespace tilewright::improve::context_tests {
namespace {

using namespace dsl;

constexpr DType F32 = DType::F32, BF16 = DType::BF16;

// Attention over a context whose length is a scalar; the last block is valid in part. With the
// first block before the loop, each block has a softmax of its own, which the merge sets right.
void attention(Builder& p, bool has, bool first_before) {
  const Tensor q = p.input("q", {16, 128}, BF16);
  const Tensor k = p.input("k", {1024, 128}, BF16);
  const Tensor v = p.input("v", {1024, 128}, BF16);
  const Tensor y = p.output("y", {16, 128}, F32);
  const Index n = p.scalar("n");
  const int64_t tile = has ? 64 : 256;
  auto core = p.incore("attend");
  const Tile query = slice(q, {16, 128}, {0, 0});
  const auto block = [&](const Tensor& of, const Index& b) {
    return slice(of, {tile, 128}, {b * tile, 0},
                 {.valid_shape = {min(Index(tile), n - b * tile), 128}});
  };
  struct Part {
    Tile top, sum, out;
  };
  const auto part = [&](const Index& b) {
    const Tile scores = mul(matmul(query, block(k, b), {.b_trans = true}), 0.05);
    const Tile top = row_max(scores);
    const Tile e = exp(row_expand_sub(scores, top));
    return Part{top, row_sum(e), matmul(cast(e, BF16), block(v, b))};
  };
  const Index blocks = (n + (tile - 1)) / tile;
  const auto start = [&]() -> Part {
    if (!first_before)
      return {p.full({16, 1}, F32, -1e30), p.full({16, 1}, F32, 0.0), p.full({16, 128}, F32, 0.0)};
    const Part first = part(0);
    const Tile out = p.tensor("out", {16, 128}, F32);
    assign(out, first.out);
    return {first.top, first.sum, out};
  };
  const Part all = start();
  for (Index b : p.range(first_before ? 1 : 0, blocks).named("b")) {
    const Part one = part(b);
    const Tile higher = maximum(all.top, one.top);
    const Tile alpha = exp(sub(all.top, higher)), beta = exp(sub(one.top, higher));
    const Tile kept = mul(all.sum, alpha);
    assign(all.sum, add(kept, mul(one.sum, beta)));
    const Tile before = row_expand_mul(all.out, alpha);
    assign(all.out, add(before, row_expand_mul(one.out, beta)));
    assign(all.top, higher);
  }
  assemble(y, row_expand_div(all.out, all.sum), {0, 0});
}
void attention_in_loop(Builder& p, bool has) { attention(p, has, false); }
void attention_from_first(Builder& p, bool has) { attention(p, has, true); }

TEST(TileSize, AttentionOverAContextThatAScalarDecides) {
  expect_rewrite("tile-size", attention_in_loop, 0.2, {{"n", 700}});
}

// What was rewritten for one length is right for every other.
TEST(TileSize, AttentionOverAnyContext) {
  for (const Write write : {attention_in_loop, attention_from_first}) {
    const catalog::ProgramDef def = program_with(write, true, {{"n", 700}});
    const Advice a = advise(def, on_a2a3());
    const Finding* f = find_code(a, "tile-size");
    ASSERT_TRUE(f);
    for (const double n : {1, 63, 64, 65, 128, 129, 256, 257, 1023, 1024})
      for (const OutputMatch& o : compare_results(program_with(write, true, {{"n", n}}), on_a2a3(),
                                                  a.session->program(), *f->rewritten))
        EXPECT_TRUE(o.comparison.passed()) << o.name << " for " << n;
  }
}
TEST(TileSize, AttentionWithTheFirstBlockBeforeTheLoop) {
  expect_rewrite("tile-size", attention_from_first, 0.2, {{"n", 700}});
}

}  // namespace
}  // namespace tilewright::improve::context_tests
