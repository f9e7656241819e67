// tile_products: what is cut, how it reads, and what is left alone. That bits stay the same is asked
// in tests/exact.
#include <gtest/gtest.h>

#include <map>

#include "tilewright/compile/compile.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/ir/print.h"

namespace tilewright {
namespace {

using namespace dsl;

struct Tiled {
  std::map<std::string, std::string> after;  // listings by pass
  Diagnostics diagnostics;

  std::string note() const {
    for (const Diagnostic& d : diagnostics.list())
      if (d.code.starts_with("l0-")) return d.what;
    return "";
  }
};

Tiled tiled(Builder& p, const std::string& platform = "a2a3") {
  Tiled t;
  compile::Options options;
  options.observe = [&](std::string_view pass, const ir::Plan& plan) {
    t.after[std::string(pass)] = ir::print(plan);
  };
  compile::compile(p.finish(), platform::builtin_platform(platform), options, t.diagnostics);
  return t;
}

std::string kernel_of(const std::string& listing) {
  return listing.substr(listing.find("\n\nkernel 0 ") + 2);  // behind the orchestration
}

void product(Builder& p, int64_t m, int64_t k, int64_t n) {
  const Tensor a = p.input("a", {m, k}, DType::BF16);
  const Tensor b = p.weight("b", {k, n}, DType::BF16);
  const Tensor y = p.output("y", {m, n}, DType::F32);
  auto core = p.incore("work");
  assemble(y, matmul(a, b).named("c"), {0, 0});
}

TEST(TileProducts, ReadsAsTheLoopAnAuthorWouldWrite) {
  Builder p("demo");
  product(p, 64, 320, 1024);
  EXPECT_EQ(kernel_of(tiled(p).after["tile_products"]),
            R"(kernel 0 work [cube](In a, In b, Out y)
    b_whole = pl.load(b, [0, 0], [320, 1024], target_memory=pl.MemorySpace.Mat)
    a_whole = pl.load(a, [0, 0], [64, 320], target_memory=pl.MemorySpace.Mat)
    for n0 in pl.range(0, 1024, 512):
        for k0 in pl.pipeline(0, 320, 32, stage=2):
            a_whole_part = pl.slice(a_whole, [64, 32], [0, k0])
            a_whole_part_Left = pl.move(a_whole_part, target_memory=pl.MemorySpace.Left)
            b_whole_part = pl.slice(b_whole, [32, 512], [k0, n0])
            b_whole_part_Right = pl.move(b_whole_part, target_memory=pl.MemorySpace.Right)
            if k0 == 0:
                c = pl.matmul(a_whole_part_Left, b_whole_part_Right, out_dtype=pl.FP32)
            else:
                c = pl.matmul_acc(c, a_whole_part_Left, b_whole_part_Right)
        y = pl.store(c, [0, n0], y)
)");
}

TEST(TileProducts, NothingIsCutWhereItFitsOrWhereThereIsNoL0) {
  Builder fits("fits");
  product(fits, 16, 256, 128);
  Tiled t = tiled(fits);
  EXPECT_EQ(t.after["tile_products"], t.after["place_tiles"]);
  Builder cpu("cpu");
  product(cpu, 128, 1024, 1024);
  t = tiled(cpu, "cpu");
  EXPECT_EQ(t.after["tile_products"], t.after["place_tiles"]);
  EXPECT_EQ(t.note(), "");
}

// How much the vector core leaves valid is not an extent that can be named here.
TEST(TileProducts, AKThatMayBePartlyValidIsNotCut) {
  Builder p("partly");
  const Tensor a = p.input("a", {16, 1024}, DType::F32);
  const Tensor b = p.weight("b", {1024, 128}, DType::BF16);
  const Tensor y = p.output("y", {16, 128}, DType::F32);
  {
    auto core = p.at(Level::CoreGroup, "work");
    const Tile left = slice(a, {16, 1024}, {0, 0}, {.valid_shape = {16, 1000}});
    const Tile right = slice(b, {1024, 128}, {0, 0}, {.valid_shape = {1000, 128}});
    assemble(y, matmul(cast(exp(left), DType::BF16), right), {0, 0});
  }
  const Tiled t = tiled(p);
  EXPECT_NE(t.note().find("may be partly valid along K"), std::string::npos) << t.note();
}

// The second window would multiply what the first one stored.
TEST(TileProducts, AnOutputThatIsAlsoAnOperandIsNotCut) {
  Builder p("in_place");
  const Tensor x = p.state("x", {128, 512}, DType::F32);
  {
    auto core = p.incore("work");
    const Tile sum = p.accumulator({128, 512});
    for (Index k : p.range(4)) {
      const Tile left = slice(x, {128, 16}, {0, k * 16});
      const Tile right = slice(x, {16, 512}, {k * 16, 0});
      {
        auto first = p.when(k == 0);
        assign(sum, matmul(left, right));
      }
      {
        auto later = p.otherwise();
        matmul_acc(sum, left, right);
      }
    }
    assemble(x, sum, {0, 0});
  }
  const Tiled t = tiled(p);
  EXPECT_NE(t.note().find("x is read while x is stored"), std::string::npos) << t.note();
  EXPECT_TRUE(t.diagnostics.has_errors());
}

}  // namespace
}  // namespace tilewright
