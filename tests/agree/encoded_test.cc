// Products with block-encoded weights: packed, and in the ways that cannot be packed.
#include <fmt/format.h>

#include "agree.h"

namespace agree_test {
namespace {

constexpr DType kEncodedTypes[] = {DType::Q4_0, DType::Q4_1, DType::Q5_0,   DType::Q5_1,
                                   DType::Q8_0, DType::Q2_K, DType::Q3_K,   DType::Q4_K,
                                   DType::Q5_K, DType::Q6_K, DType::IQ4_NL, DType::IQ4_XS,
                                   DType::MXFP4};

// Columns of x * w in tiles and blocks of k, as the projections of a layer are written.
void projection(Builder& p, const Tensor& x, const Tensor& w, const Tensor& y, int64_t tile,
                int64_t k_tile) {
  const int64_t rows = x.dim(0), blocks = x.dim(1) / k_tile;
  for (Index nb : p.parallel((y.dim(1) + tile - 1) / tile).named("nb")) {
    auto core = p.incore("project");
    const Index cols = min(Index(tile), y.dim(1) - nb * tile);
    const auto right = [&](const Index& k) {
      return slice(w, {tile, k_tile}, {nb * tile, k}, {.valid_shape = {cols, k_tile}});
    };
    const Tile acc = matmul(slice(x, {rows, k_tile}, {0, 0}), right(0), {.b_trans = true});
    for (Index kb : p.range(1, blocks).named("kb"))
      matmul_acc(acc, slice(x, {rows, k_tile}, {0, kb * k_tile}), right(kb * k_tile),
                 {.b_trans = true});
    assemble(y, acc, {0, nb * tile});
  }
}

class Encoded : public testing::TestWithParam<DType> {};

TEST_P(Encoded, PackedWeights) {
  for (const int64_t rows : {1, 3, 17})
    expect_agreement([&](Builder& p) {
      SCOPED_TRACE(rows);
      const Tensor x = p.input("x", {rows, 768}, DType::F32);
      const Tensor w = p.weight("w", {100, 768}, GetParam());
      const Tensor y = p.output("y", {rows, 100}, DType::F32);
      projection(p, x, w, y, 64, 256);
    });
}

TEST_P(Encoded, WindowsThatDoNotStartAtAPanel) {
  expect_agreement([&](Builder& p) {
    const Tensor x = p.input("x", {5, 512}, DType::BF16);
    const Tensor w = p.weight("w", {60, 512}, GetParam());
    const Tensor y = p.output("y", {5, 60}, DType::F32);
    projection(p, x, w, y, 20, 256);
  });
}

// An input that is no weight is loaded and multiplied as it lies.
TEST_P(Encoded, InputsAndResultsOfOtherTypes) {
  for (const DType left : {DType::F32, DType::BF16, DType::F16})
    expect_op({{left, {6, 512}}, {GetParam(), {33, 512}}}, {DType::BF16, {6, 33}},
              [](Builder&, const auto& x) {
                return matmul(x[0], x[1], {.out_dtype = DType::BF16, .b_trans = true});
              });
}

INSTANTIATE_TEST_SUITE_P(Types, Encoded, testing::ValuesIn(kEncodedTypes),
                         [](const auto& i) { return std::string(dtype_name(i.param)); });

// FP32 rows by weights of 16-bit floats, which are widened.
TEST(WidenedWeights, PackedAndAsTheyLie) {
  for (const DType type : {DType::F16, DType::BF16})
    for (const int64_t rows : {1, 7, 30})
      for (const int64_t tile : {64, 20}) {
        SCOPED_TRACE(fmt::format("{} rows by {}, {} columns", rows, dtype_name(type), tile));
        expect_agreement([&](Builder& p) {
          const Tensor x = p.input("x", {rows, 768}, DType::F32);
          const Tensor w = p.weight("w", {100, 768}, type);
          projection(p, x, w, p.output("y", {rows, 100}, DType::F32), tile, 256);
        });
      }
}

TEST(WidenedWeights, StoredByK) {
  for (const DType type : {DType::F16, DType::BF16})
    for (const DType left : {DType::F32, type})
      expect_agreement([&](Builder& p) {
        const Tensor x = p.input("x", {9, 70}, left);
        const Tensor w = p.weight("w", {70, 96}, type);
        const Tensor y = p.output("y", {9, 96}, DType::F32);
        auto core = p.incore("project");
        assemble(y, matmul(slice(x, {9, 70}, {0, 0}), slice(w, {70, 96}, {0, 0})), {0, 0});
      });
}

// One left operand with weights of several types.
TEST(EncodedChains, OfDifferentTypes) {
  expect_agreement([](Builder& p) {
    const Tensor x = p.input("x", {3, 512}, DType::F32);
    const Tensor q = p.weight("q", {64, 512}, DType::Q4_K);
    const Tensor k = p.weight("k", {64, 512}, DType::F16);
    const Tensor v = p.weight("v", {64, 512}, DType::Q6_K);
    const Tensor y = p.output("y", {3, 192}, DType::F32);
    auto core = p.incore("project");
    const MatmulOptions how{.b_trans = true};
    const auto left = [&](const Index& at) { return slice(x, {3, 256}, {0, at}); };
    const auto right = [&](const Tensor& w, const Index& at) {
      return slice(w, {64, 256}, {0, at});
    };
    const Tile a = matmul(left(0), right(q, 0), how), b = matmul(left(0), right(k, 0), how),
               c = matmul(left(0), right(v, 0), how);
    for (Index kb : p.range(1, 2).named("kb")) {
      const Tile l = left(kb * 256);
      matmul_acc(a, l, right(q, kb * 256), how);
      matmul_acc(b, l, right(k, kb * 256), how);
      matmul_acc(c, l, right(v, kb * 256), how);
    }
    assemble(y, a, {0, 0});
    assemble(y, b, {0, 64});
    assemble(y, c, {0, 128});
  });
}

}  // namespace
}  // namespace agree_test
