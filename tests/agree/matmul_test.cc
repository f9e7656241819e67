// Products: every type, transposes, remainders in m, n and k; weights in panels and chains of
// blocks, which cpu runs in ways of its own.
#include <fmt/format.h>

#include "agree.h"

namespace agree_test {
namespace {

struct Size {
  int64_t m, k, n;
};
const std::vector<Size> kSizes = {{1, 1, 1},     {1, 64, 32},   {3, 7, 5},
                                  {4, 33, 31},   {8, 128, 96},  {13, 40, 70},
                                  {16, 200, 64}, {17, 161, 33}, {50, 24, 40}};

TEST(Matmul, Types) {
  for (const DType t : {DType::F32, DType::BF16, DType::F16, DType::I8, DType::I16, DType::U8})
    for (const Size& s : kSizes) {
      const DType out = is_float(t) ? DType::F32 : DType::I32;
      expect_op({{t, {s.m, s.k}}, {t, {s.k, s.n}}}, {out, {s.m, s.n}},
                [](Builder&, const auto& x) { return matmul(x[0], x[1]); });
      expect_op({{t, {s.m, s.k}}, {t, {s.n, s.k}}}, {out, {s.m, s.n}},
                [](Builder&, const auto& x) { return matmul(x[0], x[1], {.b_trans = true}); });
    }
}

// Products and sums around 2^-126. To BF16 what is below it is zero, to other types it is not.
TEST(Matmul, SubnormalNumbers) {
  const auto small = [](const ir::Var& v, HostArray& a) {
    if (v.dtype != DType::F16)  // whose products are all normal in FP32
      for (int64_t i = 0; i < a.size(); ++i) a.set(i, a.at(i) * (i % 5 == 0 ? 0x1p-64 : 0x1p-63));
    for (int64_t i = 3; i < a.size(); i += 11) a.set(i, i % 2 == 0 ? 0x1p-133 : -0.0);
  };
  for (const auto& [left, right] : {std::pair{DType::BF16, DType::BF16},
                                    {DType::F32, DType::BF16},
                                    {DType::F32, DType::F16},
                                    {DType::F16, DType::F16},
                                    {DType::F32, DType::F32}})
    for (const Size& s : kSizes) {
      expect_op(
          {{left, {s.m, s.k}}, {right, {s.k, s.n}}}, {DType::F32, {s.m, s.n}},
          [](Builder&, const auto& x) { return matmul(x[0], x[1]); }, small);
      expect_op(
          {{left, {s.m, s.k}}, {right, {s.n, s.k}}, {DType::F32, {1, s.n}}},
          {DType::F32, {s.m, s.n}},
          [](Builder&, const auto& x) { return matmul_bias(x[0], x[1], x[2], {.b_trans = true}); },
          small);
    }
}

TEST(Matmul, LeftTransposedAndRounded) {
  for (const Size& s : kSizes)
    expect_op({{DType::BF16, {s.k, s.m}}, {DType::BF16, {s.k, s.n}}}, {DType::BF16, {s.m, s.n}},
              [](Builder&, const auto& x) {
                return matmul(x[0], x[1], {.out_dtype = DType::BF16, .a_trans = true});
              });
}

TEST(Matmul, BiasAndBatches) {
  expect_op({{DType::BF16, {5, 24}}, {DType::BF16, {24, 40}}, {DType::F32, {1, 40}}},
            {DType::F32, {5, 40}},
            [](Builder&, const auto& x) { return matmul_bias(x[0], x[1], x[2]); });
  expect_op({{DType::BF16, {3, 5, 24}}, {DType::BF16, {1, 24, 40}}}, {DType::F32, {3, 5, 40}},
            [](Builder&, const auto& x) { return matmul(x[0], x[1]); });
  expect_op({{DType::F32, {2, 3, 5, 24}}, {DType::F32, {3, 24, 4}}}, {DType::F32, {2, 3, 5, 4}},
            [](Builder&, const auto& x) { return matmul(x[0], x[1]); });
}

TEST(Matmul, PartlyValidOperands) {
  expect_op({{DType::BF16, {16, 64}}, {DType::BF16, {64, 48}}}, {DType::F32, {16, 48}},
            [](Builder&, const auto& x) {
              return matmul(partly(x[0], 11, 50), partly(x[1], 50, 37));
            });
  expect_op({{DType::BF16, {16, 64}}, {DType::BF16, {48, 64}}}, {DType::F32, {16, 48}},
            [](Builder&, const auto& x) {
              return matmul(partly(x[0], 11, 50), partly(x[1], 37, 50), {.b_trans = true});
            });
}

// Widened rows of the left operand, of the right one and sums lie one behind the other, also when
// fewer rows are valid than there are.
TEST(Matmul, FewValidRowsOfLongHalves) {
  expect_op({{DType::F16, {3, 8192}}, {DType::F16, {8192, 64}}}, {DType::F16, {3, 64}},
            [](Builder&, const auto& x) {
              return matmul(partly(x[0], 1, 8192), x[1], {.out_dtype = DType::F16});
            });
}

// Columns [n0, n0 + tile) of x * w in blocks of k, as the projections of a layer are written.
void projection(Builder& p, const Tensor& x, const Tensor& w, const Tensor& y, int64_t tile,
                int64_t k_tile, bool transposed, bool guarded) {
  const int64_t rows = x.dim(0);
  const int64_t blocks = x.dim(1) / k_tile;
  for (Index nb : p.parallel((y.dim(1) + tile - 1) / tile).named("nb")) {
    auto core = p.incore("project");
    const Index cols = min(Index(tile), y.dim(1) - nb * tile);
    const auto left = [&](const Index& k) { return slice(x, {rows, k_tile}, {0, k}); };
    const auto right = [&](const Index& k) {
      return transposed ? slice(w, {tile, k_tile}, {nb * tile, k}, {.valid_shape = {cols, k_tile}})
                        : slice(w, {k_tile, tile}, {k, nb * tile}, {.valid_shape = {k_tile, cols}});
    };
    const MatmulOptions how{.b_trans = transposed};
    if (guarded) {
      const Tile acc = p.accumulator({rows, tile}, y.dtype());
      for (Index kb : p.pipeline(blocks, {.stages = 2}).named("kb")) {
        const Tile a = left(kb * k_tile);
        const Tile b = right(kb * k_tile);
        {
          auto first = p.when(kb == 0);
          assign(acc, matmul(a, b, how));
        }
        {
          auto later = p.otherwise();
          matmul_acc(acc, a, b, how);
        }
      }
      assemble(y, acc, {0, nb * tile});
    } else {
      const Tile acc = matmul(left(0), right(0), how);
      for (Index kb : p.range(1, blocks).named("kb"))
        matmul_acc(acc, left(kb * k_tile), right(kb * k_tile), how);
      assemble(y, acc, {0, nb * tile});
    }
  }
}

TEST(Chains, OfPackedWeights) {
  for (const int64_t rows : {1, 2, 6, 13, 16, 49})
    for (const bool transposed : {false, true})
      for (const bool guarded : {false, true})
        expect_agreement([&](Builder& p) {
          SCOPED_TRACE(rows);
          const Tensor x = p.input("x", {rows, 240}, DType::BF16);
          const Tensor w =
              p.weight("w", transposed ? Shape{100, 240} : Shape{240, 100}, DType::BF16);
          const Tensor y = p.output("y", {rows, 100}, DType::F32);
          projection(p, x, w, y, 64, 48, transposed, guarded);
        });
}

// Blocks of whole groups of k, and all of k at once, which is packed even if it ends within one.
TEST(Chains, OfWeightsInGroupsOfK) {
  for (const int64_t rows : {1, 16, 49})
    for (const bool transposed : {false, true})
      for (const auto& [depth, block] : {std::pair<int64_t, int64_t>{192, 96}, {90, 90}, {64, 16}})
        expect_agreement([&, depth = depth, block = block](Builder& p) {
          SCOPED_TRACE(fmt::format("{} rows, blocks of {}", rows, block));
          const Tensor x = p.input("x", {rows, depth}, DType::BF16);
          const Tensor w =
              p.weight("w", transposed ? Shape{100, depth} : Shape{depth, 100}, DType::BF16);
          const Tensor y = p.output("y", {rows, 100}, DType::F32);
          projection(p, x, w, y, 64, block, transposed, true);
        });
}

// Weights of bytes: in panels where blocks of k are whole groups of 32 or all of k, else as they
// lie.
TEST(Chains, OfBytes) {
  for (const int64_t rows : {1, 7, 8, 16, 75})
    for (const bool transposed : {false, true})
      for (const auto& [depth, block] :
           {std::pair<int64_t, int64_t>{1152, 64}, {90, 90}, {63, 63}, {64, 16}, {66, 22}})
        expect_agreement([&, depth = depth, block = block](Builder& p) {
          SCOPED_TRACE(fmt::format("{} rows, blocks of {}", rows, block));
          const Tensor x = p.input("x", {rows, depth}, DType::I8);
          const Tensor w =
              p.weight("w", transposed ? Shape{100, depth} : Shape{depth, 100}, DType::I8);
          const Tensor y = p.output("y", {rows, 100}, DType::I32);
          projection(p, x, w, y, 64, block, transposed, true);
        });
}

TEST(Matmul, BytesWithBiasInBatchesAndTransposed) {
  expect_op({{DType::I8, {5, 26}}, {DType::I8, {26, 40}}, {DType::I32, {1, 40}}},
            {DType::I32, {5, 40}},
            [](Builder&, const auto& x) { return matmul_bias(x[0], x[1], x[2]); });
  expect_op({{DType::I8, {3, 5, 24}}, {DType::I8, {1, 24, 40}}}, {DType::I32, {3, 5, 40}},
            [](Builder&, const auto& x) { return matmul(x[0], x[1]); });
  expect_op({{DType::I8, {30, 9}}, {DType::I8, {30, 33}}}, {DType::I32, {9, 33}},
            [](Builder&, const auto& x) { return matmul(x[0], x[1], {.a_trans = true}); });
}

// k far beyond a stretch of the left operand that is widened at a time.
TEST(Chains, LongReductions) {
  for (const int64_t rows : {1, 70})
    for (const auto& [depth, block] : {std::pair<int64_t, int64_t>{5000, 100}, {4992, 96}})
      expect_agreement([&, depth = depth, block = block](Builder& p) {
        const Tensor x = p.input("x", {rows, depth}, DType::BF16);
        const Tensor w = p.weight("w", {depth, 40}, DType::BF16);
        const Tensor y = p.output("y", {rows, 40}, DType::F32);
        projection(p, x, w, y, 64, block, false, true);
      });
}

// Windows that do not start at a panel, and uses beside products: the weight stays as it is.
TEST(Chains, OfWeightsThatCannotBePacked) {
  expect_agreement([&](Builder& p) {
    const Tensor x = p.input("x", {5, 64}, DType::BF16);
    const Tensor w = p.weight("w", {64, 60}, DType::BF16);
    const Tensor y = p.output("y", {5, 60}, DType::F32);
    projection(p, x, w, y, 20, 16, false, true);
  });
  expect_agreement([&](Builder& p) {
    const Tensor x = p.input("x", {5, 64}, DType::BF16);
    const Tensor w = p.weight("w", {64, 64}, DType::BF16);
    const Tensor y = p.output("y", {5, 64}, DType::F32);
    const Tensor z = p.output("z", {1, 64}, DType::BF16);
    projection(p, x, w, y, 32, 16, false, true);
    auto core = p.incore("row");
    assemble(z, slice(w, {1, 64}, {3, 0}), {0, 0});
  });
}

// Loops that look like chains and are not: k walked backwards, and the same block twice.
TEST(Chains, OnlyWhereBlocksFollowEachOther) {
  for (const int64_t direction : {-1, 0})
    expect_agreement([&](Builder& p) {
      const Tensor x = p.input("x", {4, 96}, DType::BF16);
      const Tensor w = p.weight("w", {96, 32}, DType::BF16);
      const Tensor y = p.output("y", {4, 32}, DType::F32);
      auto core = p.incore("project");
      const Tile acc = matmul(slice(x, {4, 32}, {0, 64}), slice(w, {32, 32}, {64, 0}));
      for (Index kb : p.range(1, 3).named("kb")) {
        const Index k = direction < 0 ? 64 - kb * 32 : Index(32);
        matmul_acc(acc, slice(x, {4, 32}, {0, k}), slice(w, {32, 32}, {k, 0}));
      }
      assemble(y, acc, {0, 0});
    });
}

}  // namespace
}  // namespace agree_test
