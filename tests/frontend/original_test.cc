// What the original compiler and runtime (August 2026) ask of a listing beyond what is checked
// here; each rule was found by giving them listings that broke it.
#include <algorithm>
#include <regex>

#include "support.h"
#include "tilewright/catalog/catalog.h"
#include "tilewright/cli/builtin.h"
#include "tilewright/compile/compile.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/ir/dialect.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/walk.h"
#include "tilewright/session/request.h"

namespace frontend_test {
namespace {

constexpr std::size_t kMostScalars = 16, kMostArrays = 32;  // that the runtime passes to a task

class EveryListing : public testing::TestWithParam<std::string> {};

bool starts_and_adds(const ir::Block& body) {
  bool starts = false, adds = false;
  ir::for_each_op(body, [&](const ir::Op& op) {
    starts = starts || op.kind == ir::OpKind::Matmul;
    adds = adds || op.kind == ir::OpKind::MatmulAcc;
  });
  return starts && adds;
}

// Of the pipelines whose first trip starts a sum and whose other trips add to it.
void expect_whole_rounds(const ir::Program& program) {
  ir::for_each_stmt(program.body, [&](const ir::Stmt& s) {
    const auto* f = s.as<ir::For>();
    if (!f || f->kind != ir::LoopKind::Pipeline || !starts_and_adds(f->body)) return;
    const ir::Expr trips = f->stop - f->start;
    ASSERT_TRUE(trips.is_constant());
    EXPECT_EQ(trips.constant() / f->step % f->stages, 0) << ir::statement_text(*f, program);
  });
}

// A kernel of the plan takes what its scope uses.
void expect_few_arguments(const ir::Program& program, const platform::Platform& machine) {
  Diagnostics diagnostics;
  const auto plan = compile::compile(program, machine, {}, diagnostics);
  ASSERT_TRUE(plan) << diagnostics.text();
  for (const ir::Kernel& k : plan->kernels) {
    EXPECT_LE(k.scalars.size(), kMostScalars) << k.name;
    EXPECT_LE(k.args.size(), kMostArrays) << k.name;
  }
}

TEST_P(EveryListing, IsOneThatTheOriginalTakes) {
  const catalog::Catalog catalog = cli::builtin_catalog();
  const catalog::ProgramDef& def = catalog.find(GetParam());
  const session::Request request = session::request_for("a2a3sim");
  for (const std::string& shape : def.shapes) {
    SCOPED_TRACE(shape);
    const ir::Program program =
        def.build(catalog::configure(def, shape, request.catalog_machine()));
    const std::string text = ir::print(program);
    // A product of tensors is a tensor, and no name stands for both a tensor and a tile.
    EXPECT_EQ(text.find("create_tile"), std::string::npos);
    // A filled column lies by rows there, a sum of rows by columns.
    EXPECT_FALSE(std::regex_search(text, std::regex(R"(full\(\[(\d\d+|[2-9]), 1\])")));
    // Chunks left the language on 2026-06-30.
    EXPECT_EQ(text.find("chunk"), std::string::npos);
    expect_whole_rounds(program);
    expect_few_arguments(program, request.machine());
  }
}

INSTANTIATE_TEST_SUITE_P(Frontend, EveryListing, testing::ValuesIn(cli::builtin_catalog().names()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

// A product of x and w that is added up in Acc, its operands read with `window`.
template <class Window>
std::string product_text(Window window) {
  dsl::Builder p("sum");
  const dsl::Tensor x = p.input("x", {16, 64}, DType::BF16);
  const dsl::Tensor w = p.weight("w", {64, 64}, DType::BF16);
  const dsl::Tensor y = p.output("y", {16, 64}, DType::F32);
  {
    auto core = p.incore("s");
    const dsl::Tile acc = p.accumulator({16, 64});
    for (dsl::Index k : p.range(2)) {
      const dsl::Tile a = window(x, 16, 0, k * 32);
      const dsl::Tile b = window(w, 32, k * 32, 0);
      auto first = p.when(k == 0);
      dsl::assign(acc, dsl::matmul(a, b));
    }
    dsl::assemble(y, acc, {0, 0});
  }
  return ir::print(p.finish());
}

TEST(Accumulator, OfTensorsIsATensor) {
  const std::string text =
      product_text([](const dsl::Tensor& t, int64_t rows, dsl::Index r, dsl::Index c) {
        return dsl::slice(t, {rows, rows == 16 ? 32 : 64}, {r, c});
      });
  EXPECT_NE(text.find("acc = pl.create_tensor([16, 64], dtype=pl.FP32)\n"), std::string::npos)
      << text;
  EXPECT_EQ(ir::print(lower(text).program), text);
}

TEST(Accumulator, OfTilesIsATile) {
  const std::string text =
      product_text([](const dsl::Tensor& t, int64_t rows, dsl::Index r, dsl::Index c) {
        return dsl::load(t, {r, c}, {rows, rows == 16 ? 32 : 64},
                         {.valid_shape = {}, .target = MemorySpace::Mat});
      });
  EXPECT_NE(text.find("acc = pl.create_tile([16, 64], dtype=pl.FP32, "
                      "target_memory=pl.MemorySpace.Acc)\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(ir::print(lower(text).program), text);
}

TEST(Column, ThatIsFilledIsARowThatIsTurned) {
  dsl::Builder p("column");
  const dsl::Tensor x = p.input("x", {16, 64}, DType::F32);
  const dsl::Tensor y = p.output("y", {16, 1}, DType::F32);
  {
    auto core = p.incore("s");
    const dsl::Tile sum = p.full({16, 1}, DType::F32, 0.0);
    dsl::assign(sum, dsl::add(sum, dsl::row_sum(dsl::slice(x, {16, 64}, {0, 0}))));
    dsl::assemble(y, sum, {0, 0});
  }
  const std::string text = ir::print(p.finish());
  EXPECT_NE(text.find("full = pl.reshape(pl.full([1, 16], dtype=pl.FP32, value=0.0), [16, 1])\n"),
            std::string::npos)
      << text;
  const ir::Program again = lower(text).program;
  EXPECT_EQ(ir::print(again), text);
  int fills = 0;
  ir::for_each_op(again.body, [&](const ir::Op& op) { fills += op.kind == ir::OpKind::Full; });
  EXPECT_EQ(fills, 1);
  EXPECT_EQ(text.find("= pl.full("), std::string::npos);
}

// What was written with pipelines, names and a partly valid load.
ir::Program dated() {
  dsl::Builder p("dated");
  const dsl::Tensor x = p.input("x", {16, 64}, DType::F32);
  const dsl::Tensor y = p.output("y", {16, 64}, DType::F32);
  {
    auto core = p.at(ir::Level::CoreGroup, "s", {.split = ir::Split::UpDown});
    for (dsl::Index k : p.pipeline(0, 64, 16, {.stages = 2}))
      dsl::assemble(y, dsl::load(x, {0, k}, {16, 16}, {.valid_shape = {8, 16}}), {0, k});
  }
  return p.finish();
}

TEST(Dialect, HasTheWordsOfItsDay) {
  const ir::Program program = dated();
  const auto on = [&](const char* day) { return ir::print(program, ir::Dialect(day)); };
  const auto has = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_EQ(on("2026-08-03"), ir::print(program));
  EXPECT_TRUE(has(on("2026-08-03"), ", valid_shape=[8, 16]"));
  EXPECT_TRUE(has(on("2026-08-02"), ", valid_shapes=[8, 16]"));
  EXPECT_TRUE(has(on("2026-04-20"), "in pl.pipeline(0, 64, 16, stage=2):"));
  EXPECT_TRUE(has(on("2026-04-19"), "in pl.range(0, 64, 16):"));
  EXPECT_TRUE(has(on("2026-04-15"), ", optimizations=[pl.split(pl.SplitMode.UP_DOWN)], "));
  EXPECT_TRUE(has(on("2026-04-14"), "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"s\"):"));
  EXPECT_TRUE(has(on("2026-04-09"), "with pl.at(level=pl.Level.CORE_GROUP):"));
  EXPECT_FALSE(ir::foreign_word(program, ir::Dialect("2026-04-08")));
}

struct Foreign {
  const char* line;
  const char* word;
  const char* day;  // one on which it was no word
  const char* other;
};

TEST(Dialect, NamesAWordThatItHasNot) {
  for (const Foreign& f :
       {Foreign{"t = pl.log(pl.slice(x, [1, 64], [0, 0]))", "pl.log", "2026-05-23", "2026-05-24"},
        Foreign{"y = pl.assemble(y, x, [0, 0], atomic=pl.AtomicType.Add)", "atomic=", "2026-05-22",
                "2026-05-23"},
        Foreign{"t = pl.load(x, [0, 0], [8, 16], transpose=True)", "transpose= of pl.load",
                "2026-06-30", "2026-06-29"}}) {
    const ir::Program program = lower(in_scope(f.line)).program;
    EXPECT_EQ(program.diagnostics.text(), "");
    const auto word = ir::foreign_word(program, ir::Dialect(f.day));
    ASSERT_TRUE(word) << f.line;
    EXPECT_EQ(word->name, f.word);
    EXPECT_EQ(word->place.line, 17U);
    EXPECT_FALSE(ir::foreign_word(program, ir::Dialect(f.other))) << f.line;
    EXPECT_FALSE(ir::foreign_word(program, ir::Dialect())) << f.line;
  }
}

}  // namespace
}  // namespace frontend_test
