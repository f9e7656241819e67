// What cpu does as one step, in place or once, and golden op by op: the weights of attention, results
// that replace operands, and left operands that are kept from task to task.
#include "agree.h"

namespace agree_test {
namespace {

// Weights, maxima and sums of scores [rows, cols], of which a part is valid; `exposed`: something
// in the middle is wanted, too, so that the ops stay apart.
void expect_softmax(int64_t rows, int64_t cols, bool exposed) {
  expect_agreement(
      [&](Builder& p) {
        const Tensor scores = p.input("scores", {rows + 1, cols + 3}, DType::F32);
        const Tensor weights = p.output("weights", {rows, cols}, DType::BF16);
        const Tensor max = p.output("max", {rows, 1}, DType::F32);
        const Tensor sum = p.output("sum", {rows, 1}, DType::F32);
        const Tensor powers = exposed ? p.output("powers", {rows, cols}, DType::F32) : scores;
        auto core = p.incore("softmax");
        const Tile scaled = mul(slice(scores, {rows + 1, cols + 3}, {0, 0},
                                      {.valid_shape = {rows, cols}}),
                                3.5);
        const Tile m = row_max(scaled);
        const Tile e = exp(row_expand_sub(scaled, m));
        const Tile w = cast(e, DType::BF16);
        const Tile l = row_sum(cast(w, DType::F32));
        assemble(weights, w, {0, 0});
        assemble(max, m, {0, 0});
        assemble(sum, l, {0, 0});
        if (exposed) assemble(powers, e, {0, 0});
      },
      Match::NearlyExp);
}

TEST(Fusion, WeightsOfAttention) {
  for (const bool exposed : {false, true})
    for (const int64_t cols : {1, 15, 16, 33, 256}) expect_softmax(5, cols, exposed);
}

TEST(Fusion, ResultsReplaceOperands) {
  // Into an operand.
  expect_op({{DType::F32, {8, 24}}, {DType::F32, {8, 24}}}, {DType::F32, {8, 24}},
            [](Builder& p, const auto& x) {
              const Tile sum = p.full({8, 24}, DType::F32, 1.0);
              for (Index i : p.range(3).named("i")) {
                (void)i;
                assign(sum, add(sum, x[0]));
                assign(sum, mul(x[1], sum));
              }
              return sum;
            });
  // An operand is a view of where the result goes: its rows must not change under the op.
  expect_op({{DType::F32, {8, 24}}}, {DType::F32, {8, 24}}, [](Builder& p, const auto& x) {
    const Tile t = p.tensor("t", {8, 24}, DType::F32);
    assign(t, add(x[0], 1.0));
    const Tile first = slice(t, {1, 24}, {0, 0});
    assign(t, add(t, first));
    return t;
  });
  // A product of what it replaces.
  expect_op({{DType::F32, {16, 16}}, {DType::F32, {16, 16}}}, {DType::F32, {16, 16}},
            [](Builder& p, const auto& x) {
              const Tile t = p.tensor("t", {16, 16}, DType::F32);
              assign(t, add(x[0], 0.0));
              assign(t, matmul(t, x[1]));
              assign(t, matmul(x[1], x[0]));
              return t;
            });
}

// Tasks that find the same rows reuse them packed; rows that were written anew are packed anew.
TEST(Fusion, KeptLeftOperandsAreNeverStale) {
  for (const int64_t rows : {1, 3, 16})
    expect_agreement([&](Builder& p) {
      const Tensor x = p.input("x", {2 * rows, 64}, DType::BF16);
      const Tensor w = p.weight("w", {64, 128}, DType::BF16);
      const Tensor y = p.output("y", {2 * rows, 128}, DType::F32);
      const Tensor between = p.tensor("between", {rows, 64}, DType::BF16);
      for (int64_t round = 0; round < 2; ++round) {
        {
          auto core = p.incore("write");
          assemble(between, slice(x, {rows, 64}, {round * rows, 0}), {0, 0});
        }
        for (Index n : p.parallel(4).named("n")) {
          auto core = p.incore("multiply");
          const Tile acc = p.accumulator({rows, 32});
          for (Index k : p.pipeline(2, {.stages = 2}).named("k")) {
            const Tile a = slice(between, {rows, 32}, {0, k * 32});
            const Tile b = slice(w, {32, 32}, {k * 32, n * 32});
            {
              auto first = p.when(k == 0);
              assign(acc, matmul(a, b));
            }
            {
              auto later = p.otherwise();
              matmul_acc(acc, a, b);
            }
          }
          assemble(y, acc, {round * rows, n * 32});
        }
      }
    });
}

}  // namespace
}  // namespace agree_test
