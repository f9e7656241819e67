// Rows of tiles too large for L1 go through all ops a few at a time, 8 of 256 columns. Compared
// with one row after the other.
#include "agree.h"

namespace agree_test {
namespace {

struct Strips {
  Tile turned, high, squares, sum;
};

// An activation and a rotation: operands that are views and views of results, a row for all, sums
// over rows, halves put together, a tile that is added to, and results that are read later.
Strips strips(Builder& p, const Tile& g, const Tile& u, const Tensor& gamma, const Index& valid) {
  const int64_t rows = g.dim(0);
  const Tile sum = p.tensor("sum", {rows, 256}, DType::F32);
  assign(sum, add(g, 1.0));
  std::optional<Strips> out;
  for (int i = 0; i < 2; ++i) {
    const Tile sigmoid = recip(add(exp(neg(g)), 1.0));
    const Tile act = col_expand_mul(mul(mul(g, sigmoid), u), slice(gamma, {1, 256}, {0, 0}));
    const Tile squares = row_sum(mul(act, act));
    const Tile scaled = row_expand_mul(act, add(squares, 2.0));
    const auto half = [&](int64_t first) {
      return slice(scaled, {rows, 128}, {0, first}, {.valid_shape = {valid, 128}});
    };
    const Tile high = half(128);
    const Tile turned = concat(neg(high), half(0));
    assign(sum, add(sum, turned));
    out.emplace(Strips{turned, high, squares, sum});
  }
  return *out;
}

TEST(Fusion, StripsOfRows) {
  for (const int64_t valid : {1, 7, 8, 9, 50, 64}) {
    const Body body = [&](Builder& p) {
      const Tensor x = p.input("x", {70, 300}, DType::F32);
      const Tensor y = p.input("y", {64, 256}, DType::F32);
      const Tensor gamma = p.input("gamma", {1, 256}, DType::F32);
      std::vector<Tensor> differences, together;
      for (const auto& [name, cols] :
           {std::pair{"turned", 256}, {"high", 128}, {"squares", 1}, {"sum", 256}}) {
        together.push_back(p.tensor(name, {64, cols}, DType::F32));
        differences.push_back(p.output(std::string("d_") + name, {valid, cols}, DType::F32));
      }
      {
        auto core = p.incore("together");
        const Strips s =
            strips(p, slice(x, {64, 256}, {3, 20}, {.valid_shape = {valid, 256}}),
                   slice(y, {64, 256}, {0, 0}, {.valid_shape = {valid, 256}}), gamma, valid);
        assemble(together[0], s.turned, {0, 0});
        assemble(together[1], s.high, {0, 0});
        assemble(together[2], s.squares, {0, 0});
        assemble(together[3], s.sum, {0, 0});
      }
      auto core = p.incore("apart");
      for (Index row : p.range(valid).named("row")) {
        const Strips s =
            strips(p, slice(x, {1, 256}, {row + 3, 20}), slice(y, {1, 256}, {row, 0}), gamma, 1);
        const auto differ = [&](std::size_t i, const Tile& one) {
          const Tile whole = slice(together[i], {1, one.dim(1)}, {row, 0});
          assemble(differences[i], sub(whole, one), {row, 0});
        };
        differ(0, s.turned);
        differ(1, s.high);
        differ(2, s.squares);
        differ(3, s.sum);
      }
    };
    EXPECT_EQ(groups_of(body), "strip");
    expect_agreement(body);
  }
}

// One row of what a later op replaces, for all rows: the rows before must not be replaced yet.
TEST(Fusion, StripsDoNotReadWhatTheyHaveReplaced) {
  expect_op({{DType::F32, {64, 256}}}, {DType::F32, {64, 256}}, [](Builder& p, const auto& x) {
    const Tile t = p.tensor("t", {64, 256}, DType::F32);
    assign(t, add(x[0], 1.0));
    const Tile first = slice(t, {1, 256}, {0, 0});
    const Tile sum = col_expand_add(mul(x[0], 3.0), first);
    assign(t, add(sum, 2.0));
    return add(t, sum);
  });
}

TEST(Fusion, StripsKeepWhatTheNextTripReads) {
  expect_op({{DType::F32, {64, 256}}}, {DType::F32, {64, 256}}, [](Builder& p, const auto& x) {
    const Tile t = p.tensor("t", {64, 256}, DType::F32);
    const Tile sum = p.tensor("sum", {64, 256}, DType::F32);
    assign(t, add(x[0], 0.0));
    assign(sum, add(x[0], 0.0));
    for (Index i : p.range(3).named("i")) {
      (void)i;
      assign(t, mul(t, x[0]));
      assign(sum, add(sum, t));
    }
    return sum;
  });
}

}  // namespace
}  // namespace agree_test
