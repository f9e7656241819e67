// Sums that live in GM, and their twins that finish one block before the next.
#include "rewrite_testing.h"
#include "tilewright/ir/print.h"
#include "tilewright/models/qwen3/catalog.h"

namespace tilewright::improve {
namespace {

using namespace dsl;
using namespace testing_rewrites;

catalog::ProgramDef layer_program(const std::string& name) {
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return std::move(def);
  ADD_FAILURE() << name;
  return {};
}

// y = exp(x) * w: every block of exp(x) is made, then multiplied into all of y; or all are made
// first.
void products_in_gm(Builder& p, bool has) {
  constexpr int64_t kBlocks = 4, kDepth = 64, kColumns = 128;
  const Tensor x = p.input("x", {16, kBlocks * kDepth}, DType::F32);
  const Tensor w = p.weight("w", {kBlocks * kDepth, 2 * kColumns}, DType::BF16);
  const Tensor y = p.output("y", {16, 2 * kColumns}, DType::F32);
  const auto make = [&](const Tensor& to, const Index& k, const Index& column) {
    auto core = p.incore("make");
    const Tile t = exp(slice(x, {16, kDepth}, {0, k * kDepth}));
    assemble(to, cast(t, DType::BF16), {0, column});
  };
  if (!has) {
    const Tensor all = p.tensor("all", {16, kBlocks * kDepth}, DType::BF16);
    for (Index k : p.parallel(kBlocks).named("k")) make(all, k, k * kDepth);
    for (Index n : p.parallel(2).named("n")) {
      auto core = p.incore("product");
      const Tile acc =
          matmul(slice(all, {16, kDepth}, {0, 0}), slice(w, {kDepth, kColumns}, {0, n * kColumns}));
      for (Index k : p.range(1, kBlocks).named("kb"))
        matmul_acc(acc, slice(all, {16, kDepth}, {0, k * kDepth}),
                   slice(w, {kDepth, kColumns}, {k * kDepth, n * kColumns}));
      assemble(y, acc, {0, n * kColumns});
    }
    return;
  }
  for (Index n : p.parallel(2).named("n")) {
    auto core = p.incore("clear");
    assemble(y, p.full({16, kColumns}, DType::F32, 0.0), {0, n * kColumns});
  }
  for (Index k : p.range(kBlocks).named("k")) {
    const Tensor block = p.tensor("block", {16, kDepth}, DType::BF16);
    make(block, k, 0);
    for (Index n : p.parallel(2).named("n")) {
      const Tensor part = p.tensor("part", {16, kColumns}, DType::F32);
      {
        auto core = p.incore("product");
        assemble(part,
                 matmul(slice(block, {16, kDepth}, {0, 0}),
                        slice(w, {kDepth, kColumns}, {k * kDepth, n * kColumns})),
                 {0, 0});
      }
      auto core = p.incore("sum");
      const Tile old = slice(y, {16, kColumns}, {0, n * kColumns});
      assemble(y, add(old, slice(part, {16, kColumns}, {0, 0})), {0, n * kColumns});
    }
  }
}

// A sum of vector tiles that starts from a first value: no zeros, no products.
void vector_sum(Builder& p, bool has) {
  const Tensor x = p.input("x", {16, 1024}, DType::F32);
  const Tensor y = p.output("y", {16, 128}, DType::F32);
  if (has) {
    {
      auto core = p.incore("start");
      assemble(y, exp(slice(x, {16, 128}, {0, 0})), {0, 0});
    }
    for (Index i : p.range(1, 8).named("i")) {
      auto core = p.incore("more");
      const Tile old = slice(y, {16, 128}, {0, 0});
      assemble(y, add(exp(slice(x, {16, 128}, {0, i * 128})), old), {0, 0});
    }
  } else {
    auto core = p.incore("all");
    const Tile total = exp(slice(x, {16, 128}, {0, 0}));
    for (Index i : p.range(1, 8).named("i"))
      assign(total, add(total, exp(slice(x, {16, 128}, {0, i * 128}))));
    assemble(y, total, {0, 0});
  }
}

// The next block reads what the sum is so far: the loop cannot be split.
void feedback(Builder& p, bool) {
  const Tensor x = p.input("x", {16, 512}, DType::F32);
  const Tensor y = p.output("y", {16, 128}, DType::F32);
  {
    auto core = p.incore("clear");
    assemble(y, p.full({16, 128}, DType::F32, 0.0), {0, 0});
  }
  for (Index i : p.range(4).named("i")) {
    const Tensor next = p.tensor("next", {16, 128}, DType::F32);
    {
      auto core = p.incore("make");
      const Tile t = slice(x, {16, 128}, {0, i * 128});
      assemble(next, mul(t, slice(y, {16, 128}, {0, 0})), {0, 0});
    }
    auto core = p.incore("sum");
    const Tile old = slice(y, {16, 128}, {0, 0});
    assemble(y, add(old, slice(next, {16, 128}, {0, 0})), {0, 0});
  }
}

TEST(GmReduction, OfProductsIsFinishedInTheCube) {
  const catalog::ProgramDef def = define_pair(products_in_gm, true);
  expect_gain(def, request_by("exact"), finish_gm_sums, "gm-reduction");
  const Proposed p = propose(def, request_by("exact"), finish_gm_sums);
  ASSERT_TRUE(p.fastest());
  const std::string text = ir::print(p.fastest()->rewrite.program);
  EXPECT_NE(text.find("pl.matmul_acc("), std::string::npos) << text;
  EXPECT_EQ(text.find("name_hint=\"clear\""), std::string::npos) << text;
  EXPECT_EQ(text.find("part = "), std::string::npos) << text;
  EXPECT_LE(p.fastest()->after_us,
            1.05 * time_of_program(define_pair(products_in_gm, false), request_by("exact")));
}

TEST(GmReduction, OfVectorsStaysInATile) {
  expect_gain(define_pair(vector_sum, true), request_by("exact"), finish_gm_sums, "gm-reduction");
}

TEST(GmReduction, IsNotSeenInItsTwins) {
  expect_nothing(define_pair(products_in_gm, false), request_by("exact"), finish_gm_sums);
  expect_nothing(define_pair(vector_sum, false), request_by("exact"), finish_gm_sums);
}

TEST(GmReduction, IsLeftAloneWhereItsBlocksNeedTheSum) {
  expect_nothing(define_pair(feedback, true), request_by("exact"), finish_gm_sums);
}

TEST(GmReduction, OfScope3ComputesTheSame) {
  expect_gain(layer_program("qwen3/scope3-before"), request_by("exact", "tiny"), finish_gm_sums,
              "gm-reduction");
}

// The base of hw-native-sys/pypto-lib#90 and its authors' own rewrite, under rules without races.
TEST(GmReduction, OfScope3IsAsFastAsItsAuthorsRewrite) {
  for (const char* shape : {"qwen3-32b-narrow", "qwen3-32b-wide"}) {
    const session::Request request = request_by("may-2026", shape);
    const Proposed p = propose(layer_program("qwen3/scope3-before"), request, finish_gm_sums);
    ASSERT_TRUE(p.fastest());
    EXPECT_LE(p.fastest()->after_us, time_of_program(layer_program("qwen3/scope3"), request));
  }
}

}  // namespace
}  // namespace tilewright::improve
