// What cpu does as one step, in place or once, and golden op by op: the weights of attention,
// results that replace operands, and left operands that are kept from task to task.
#include "agree.h"

namespace agree_test {
namespace {

// Weights, maxima and sums of scores [rows, cols], of which a part is valid; `exposed`: something
// in the middle is wanted, too, so that the ops stay apart.
Body softmax(int64_t rows, int64_t cols, bool exposed) {
  return [=](Builder& p) {
    const Tensor scores = p.input("scores", {rows + 1, cols + 3}, DType::F32);
    const Tensor weights = p.output("weights", {rows, cols}, DType::BF16);
    const Tensor max = p.output("max", {rows, 1}, DType::F32);
    const Tensor sum = p.output("sum", {rows, 1}, DType::F32);
    const Tensor powers = exposed ? p.output("powers", {rows, cols}, DType::F32) : scores;
    auto core = p.incore("softmax");
    const Tile scaled =
        mul(slice(scores, {rows + 1, cols + 3}, {0, 0}, {.valid_shape = {rows, cols}}), 3.5);
    const Tile m = row_max(scaled);
    const Tile e = exp(row_expand_sub(scaled, m));
    const Tile w = cast(e, DType::BF16);
    const Tile l = row_sum(cast(w, DType::F32));
    assemble(weights, w, {0, 0});
    assemble(max, m, {0, 0});
    assemble(sum, l, {0, 0});
    if (exposed) assemble(powers, e, {0, 0});
  };
}

TEST(Fusion, WeightsOfAttention) {
  for (const bool exposed : {false, true})
    for (const int64_t cols : {1, 15, 16, 33, 256}) expect_agreement(softmax(5, cols, exposed));
  EXPECT_EQ(groups_of(softmax(5, 33, false)), "softmax");
  EXPECT_EQ(groups_of(softmax(5, 33, true)), "");
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

// Parts of an attention made one. exp may differ from golden's in the last place, so what is
// compared is the difference to the same ops held apart by somebody who reads in the middle: none.
struct Running {
  Tile m, l, o;
};

void merge(const Running& r, const Running& part, const Tensor* alphas) {
  const Tile most = maximum(r.m, part.m);
  const Tile alpha = exp(sub(r.m, most));
  const Tile beta = exp(sub(part.m, most));
  const Tile old_l = mul(alpha, r.l);
  assign(r.l, add(old_l, mul(beta, part.l)));
  const Tile old_o = row_expand_mul(r.o, alpha);
  assign(r.o, add(old_o, row_expand_mul(part.o, beta)));
  assign(r.m, most);
  if (alphas) assemble(*alphas, alpha, {0, 0});
}

TEST(Fusion, PartsOfAttentionMadeOne) {
  for (const int64_t rows : {1, 2, 8, 33}) {
    const Body body = [&](Builder& p) {
      const Tensor m = p.input("m", {3 * rows, 1}, DType::F32);
      const Tensor l = p.input("l", {3 * rows, 1}, DType::F32);
      const Tensor o = p.input("o", {3 * rows, 40}, DType::F32);
      const Tensor dm = p.output("dm", {rows, 1}, DType::F32);
      const Tensor dl = p.output("dl", {rows, 1}, DType::F32);
      const Tensor d_o = p.output("do", {rows, 40}, DType::F32);
      const Tensor alphas = p.tensor("alphas", {rows, 1}, DType::F32);
      auto core = p.incore("merge");
      const auto part = [&](const Index& i) {
        const auto rows_of = [&](const Tensor& x) {
          return slice(x, {rows, x.dim(1)}, {i * rows, 0});
        };
        return Running{rows_of(m), rows_of(l), rows_of(o)};
      };
      const auto all = [&](const Tensor* exposed) {
        const Running first = part(0);
        const Running r{add(first.m, 0.0), add(first.l, 0.0), add(first.o, 0.0)};
        for (Index i : p.range(1, 3).named("i")) merge(r, part(i), exposed);
        return r;
      };
      const Running together = all(nullptr);
      const Running apart = all(&alphas);
      assemble(dm, sub(together.m, apart.m), {0, 0});
      assemble(dl, sub(together.l, apart.l), {0, 0});
      assemble(d_o, sub(together.o, apart.o), {0, 0});
    };
    EXPECT_EQ(groups_of(body), "merge");
    expect_agreement(body);
  }
}

// Tasks that find the same rows reuse them packed; rows that were written anew are packed anew.
TEST(Fusion, KeptLeftOperandsAreNeverStale) {
  for (const int64_t rows : {1, 3, 16}) {
    const Body body = [&](Builder& p) {
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
    };
    EXPECT_EQ(groups_of(body), "chain chain");
    expect_agreement(body);
  }
}

}  // namespace
}  // namespace agree_test
