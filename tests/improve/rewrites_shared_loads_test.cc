// Products that load the same left tiles, and their twins that load them once.
#include "rewrite_testing.h"
#include "tilewright/ir/walk.h"
#include "tilewright/models/qwen3/catalog.h"

namespace tilewright::improve {
namespace {

using namespace dsl;
using namespace testing_rewrites;

catalog::ProgramDef layer_stage(const std::string& name) {
  for (catalog::ProgramDef& def : models::qwen3::qwen3_programs())
    if (def.name == name) return std::move(def);
  ADD_FAILURE() << name;
  return {};
}

// More blocks than cores: fewer and longer tasks cost nothing.
constexpr int64_t kDeep = 128, kSteps = 8, kWide = 64, kBlocks = 48;

struct TwoWeights {
  Tensor x, w1, w2, y1, y2;
};

TwoWeights two_weights(Builder& p) {
  const Tensor x = p.input("x", {16, kSteps * kDeep}, DType::BF16);
  const Tensor w1 = p.weight("w1", {kSteps * kDeep, kBlocks * kWide}, DType::BF16);
  const Tensor w2 = p.weight("w2", {kSteps * kDeep, kBlocks * kWide}, DType::BF16);
  const Tensor y1 = p.output("y1", {16, kBlocks * kWide}, DType::F32);
  return {x, w1, w2, y1, p.output("y2", {16, kBlocks * kWide}, DType::F32)};
}

void one_product(Builder& p, const Tensor& x, const Tensor& w, const Tensor& y, const Index& n) {
  const Tile acc = matmul(slice(x, {16, kDeep}, {0, 0}), slice(w, {kDeep, kWide}, {0, n * kWide}));
  for (Index k : p.range(1, kSteps).named("k"))
    matmul_acc(acc, slice(x, {16, kDeep}, {0, k * kDeep}),
               slice(w, {kDeep, kWide}, {k * kDeep, n * kWide}));
  assemble(y, acc, {0, n * kWide});
}

void both_products(Builder& p, const TwoWeights& in, const Index& n) {
  const auto right = [&](const Tensor& w, const Index& k) {
    return slice(w, {kDeep, kWide}, {k * kDeep, n * kWide});
  };
  const Tile first = slice(in.x, {16, kDeep}, {0, 0});
  const Tile a = matmul(first, right(in.w1, 0));
  const Tile b = matmul(first, right(in.w2, 0));
  for (Index k : p.range(1, kSteps).named("k")) {
    const Tile left = slice(in.x, {16, kDeep}, {0, k * kDeep});
    matmul_acc(a, left, right(in.w1, k));
    matmul_acc(b, left, right(in.w2, k));
  }
  assemble(in.y1, a, {0, n * kWide});
  assemble(in.y2, b, {0, n * kWide});
}

void in_two_loops(Builder& p, bool has) {
  const TwoWeights in = two_weights(p);
  for (Index n : p.parallel(kBlocks).named("n")) {
    auto core = p.incore("one");
    if (has)
      one_product(p, in.x, in.w1, in.y1, n);
    else
      both_products(p, in, n);
  }
  if (!has) return;
  for (Index n : p.parallel(kBlocks).named("m")) {
    auto core = p.incore("two");
    one_product(p, in.x, in.w2, in.y2, n);
  }
}

void in_two_scopes(Builder& p, bool has) {
  const TwoWeights in = two_weights(p);
  for (Index n : p.parallel(kBlocks).named("n")) {
    {
      auto core = p.incore("one");
      if (has)
        one_product(p, in.x, in.w1, in.y1, n);
      else
        both_products(p, in, n);
    }
    if (!has) continue;
    auto core = p.incore("two");
    one_product(p, in.x, in.w2, in.y2, n);
  }
}

void in_one_scope(Builder& p, bool has) {
  const TwoWeights in = two_weights(p);
  for (Index n : p.parallel(kBlocks).named("n")) {
    auto core = p.incore("both");
    if (!has) {
      both_products(p, in, n);
      continue;
    }
    one_product(p, in.x, in.w1, in.y1, n);
    one_product(p, in.x, in.w2, in.y2, n);
  }
}

// Each task of the second stage reads what several tasks of the first wrote.
void one_after_the_other(Builder& p, bool) {
  const TwoWeights in = two_weights(p);
  const Tensor middle = p.tensor("middle", {16, kBlocks * kWide}, DType::F32);
  for (Index n : p.parallel(kBlocks).named("n")) {
    auto core = p.incore("one");
    one_product(p, in.x, in.w1, middle, n);
  }
  for (Index n : p.parallel(kBlocks).named("m")) {
    auto core = p.incore("two");
    const Tile sum = row_sum(slice(middle, {16, 8 * kWide}, {0, 0}));
    const Tile left = slice(in.x, {16, kDeep}, {0, 0});
    const Tile product = matmul(left, slice(in.w2, {kDeep, kWide}, {0, n * kWide}));
    assemble(in.y1, row_expand_mul(product, sum), {0, n * kWide});
    assemble(in.y2, product, {0, n * kWide});
  }
}

class SharedLoads : public ::testing::TestWithParam<Write> {};

TEST_P(SharedLoads, AreLoadedOnce) {
  const session::Request request = request_by("exact");
  expect_gain(define_pair(GetParam(), true), request, share_loads, "shared-loads");
  expect_nothing(define_pair(GetParam(), false), request, share_loads);
  const Proposed p = propose(define_pair(GetParam(), true), request, share_loads);
  ASSERT_TRUE(p.fastest());
  EXPECT_LE(p.fastest()->after_us, time_of_program(define_pair(GetParam(), false), request));
}

INSTANTIATE_TEST_SUITE_P(Rewritten, SharedLoads, ::testing::Values(in_two_loops, in_two_scopes));

// Here nothing waits for the left tile, so that only traffic is saved.
TEST(SharedLoads, OfOneScopeAreLoadedOnce) {
  const session::Request request = request_by("exact");
  const catalog::ProgramDef def = define_pair(in_one_scope, true);
  expect_nothing(define_pair(in_one_scope, false), request, share_loads);
  const Proposed p = propose(def, request, share_loads);
  ASSERT_TRUE(p.fastest());
  const auto loads_of_x = [](const ir::Program& program) {
    int n = 0;
    ir::for_each_op(program.body, [&](const ir::Op& op) {
      n += op.kind == ir::OpKind::Slice && program[op.args[0]].name == "x";
    });
    return n;
  };
  EXPECT_EQ(loads_of_x(p.original), 4);
  EXPECT_EQ(loads_of_x(p.fastest()->rewrite.program), 2);
  EXPECT_LE(p.fastest()->after_us, p.now_us);
  for (const OutputMatch& o :
       compare_results(def, request, p.original, p.fastest()->rewrite.program))
    EXPECT_TRUE(o.comparison.passed()) << o.name;
}

TEST(SharedLoads, AreNotSeenWhereOneProductNeedsTheOther) {
  expect_nothing(define_pair(one_after_the_other, true), request_by("exact"), share_loads);
}

// Gate and up of hw-native-sys/pypto-lib#94: as its authors wrote it.
TEST(SharedLoads, OfGateAndUpAreAsTheirAuthorsRewrite) {
  const catalog::ProgramDef def = layer_stage("qwen3/scope3");
  expect_gain(def, request_by("exact", "tiny"), share_loads, "shared-loads");
  session::Request request = request_by("april-2026", "qwen3-32b-wide");
  request.set["zero_init"] = 0;
  const Proposed p = propose(def, request, share_loads);
  ASSERT_TRUE(p.fastest());
  request.set["mlp_fused"] = 2;
  EXPECT_LE(p.fastest()->after_us, time_of_program(def, request));
}

// K and V of hw-native-sys/pypto-lib#185: two loops of one task.
TEST(SharedLoads, OfKAndVAreAsTheirAuthorsRewrite) {
  const catalog::ProgramDef def = layer_stage("qwen3/scope1");
  session::Request request = request_by("april-2026");
  request.set["kv_fused"] = 1;
  const Proposed p = propose(def, request, share_loads);
  ASSERT_TRUE(p.fastest());
  request.set["kv_fused"] = 2;
  EXPECT_LE(p.fastest()->after_us, time_of_program(def, request));
}

}  // namespace
}  // namespace tilewright::improve
