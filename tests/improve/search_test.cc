// Programs whose author does not say what to try: constants of files, keys without choices.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tilewright/base/files.h"
#include "tilewright/data/program_file.h"
#include "tilewright/improve/choices.h"
#include "tilewright/improve/search.h"
#include "tilewright/ir/program.h"
#include "tilewright/models/qwen3/catalog.h"
#include "tilewright/programs/tour.h"
#include "tilewright/results/named_constants.h"
#include "tilewright/session/predict.h"

namespace tilewright::improve {
namespace {

// y = x w, one task per N_TILE columns. HALF looks like a tile size but is not: with another value
// some columns of x are left out.
constexpr const char* kProgram = R"(import pypto.language as pl

ROWS = 16
K = 512
N = 1024
N_TILE = 64  # columns of a task
HALF = 256


@pl.program
class Product:
    @pl.function(type=pl.FunctionType.Opaque)
    def product(
        self,
        x: pl.Tensor[[ROWS, K], pl.BF16],
        w: pl.Tensor[[K, N], pl.BF16],
        y: pl.Out[pl.Tensor[[ROWS, N], pl.FP32]],
    ) -> pl.Tensor[[ROWS, N], pl.FP32]:
        for nb in pl.parallel(N // N_TILE):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="product"):
                left = pl.slice(x, [ROWS, HALF], [0, 0])
                right = pl.slice(w, [HALF, N_TILE], [0, nb * N_TILE])
                acc = pl.matmul(left, right, out_dtype=pl.FP32)
                left_2 = pl.slice(x, [ROWS, HALF], [0, K - HALF])
                right_2 = pl.slice(w, [HALF, N_TILE], [K - HALF, nb * N_TILE])
                acc = pl.matmul_acc(acc, left_2, right_2)
                y = pl.assemble(y, acc, [0, nb * N_TILE])
        return y
)";

class TunedFile : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(path_) << kProgram; }
  void TearDown() override { std::filesystem::remove(path_); }
  catalog::ProgramDef def() const { return data::program_from_file(path_, {}); }

  const std::string path_ = ::testing::TempDir() + "tuned_" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".py";
  const session::Request request_ = session::request_for("a2a3sim");
};

const Axis* axis(const Space& space, const std::string& key) {
  for (const Axis& a : space.axes)
    if (a.key == key) return &a;
  return nullptr;
}

TEST_F(TunedFile, SearchesConstantsThatLeaveItsParametersAlone) {
  const catalog::ProgramDef d = def();
  const Space space = space_of(d, request_, SearchRequest());
  ASSERT_TRUE(axis(space, "N_TILE"));
  EXPECT_TRUE(axis(space, "N_TILE")->derived);
  EXPECT_FALSE(axis(space, "ROWS"));
  EXPECT_FALSE(axis(space, "K"));
  EXPECT_FALSE(axis(space, "N"));
  for (int64_t v : axis(space, "N_TILE")->values) EXPECT_EQ(1024 % v, 0) << v;
}

TEST_F(TunedFile, IsWrittenBackFasterWithTheSameValues) {
  const catalog::ProgramDef d = def();
  const Searched s = search(d, request_, {});
  ASSERT_TRUE(s.tuned.found() && s.tuned.better());
  EXPECT_LT(s.tuned.best_verdict.time_us, 0.95 * s.tuned.start_verdict.time_us);
  ASSERT_FALSE(s.outputs.empty());
  for (const OutputMatch& o : s.outputs) EXPECT_TRUE(o.comparison.passed()) << o.name;
  EXPECT_EQ(s.tuned.best.contains("HALF") ? s.tuned.best.at("HALF") : 256, 256)
      << "another value computes another product";

  const auto changes = d.rewrite({{"N_TILE", s.tuned.best.at("N_TILE")}});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].before, kProgram);
  std::ofstream(path_) << changes[0].after;
  const session::TimedRun again = session::predict(def(), request_);
  ASSERT_TRUE(again.passed());
  EXPECT_EQ(again.profile->all.total_us, s.tuned.best_verdict.time_us) << "as promised";
  EXPECT_NE(changes[0].after.find("  # columns of a task"), std::string::npos);
}

// `HALF, N_TILE = 256, 64` is two constants, each written back at its own number.
TEST_F(TunedFile, SearchesConstantsThatAreAssignedTogether) {
  std::string text = kProgram;
  const std::string apart = "N_TILE = 64  # columns of a task\nHALF = 256\n";
  ASSERT_NE(text.find(apart), std::string::npos);
  text.replace(text.find(apart), apart.size(), "HALF, N_TILE = 256, 64\n");
  std::ofstream(path_) << text;
  const catalog::ProgramDef d = def();
  EXPECT_TRUE(axis(space_of(d, request_, SearchRequest()), "N_TILE"));
  const auto changes = d.rewrite({{"N_TILE", 128}});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_NE(changes[0].after.find("\nHALF, N_TILE = 256, 128\n"), std::string::npos);
}

// Fewer repetitions are faster, read and write as much, and compute something else.
TEST_F(TunedFile, LeavesAConstantAloneThatChangesValues) {
  std::ofstream(path_) << R"(import pypto.language as pl

REPEAT = 8


@pl.program
class Halved:
    @pl.function(type=pl.FunctionType.Opaque)
    def halved(
        self,
        x: pl.Tensor[[64, 128], pl.FP32],
        y: pl.Out[pl.Tensor[[64, 128], pl.FP32]],
    ) -> pl.Tensor[[64, 128], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="halve"):
            tile = pl.slice(x, [64, 128], [0, 0])
            for i in pl.range(REPEAT):
                tile = pl.mul(tile, 0.5)
            y = pl.assemble(y, tile, [0, 0])
        return y
)";
  const catalog::ProgramDef d = def();
  const Searched s = search(d, request_, {});
  EXPECT_EQ(s.change_values, std::vector<std::string>{"REPEAT"});
  EXPECT_EQ(s.tuned.best, s.tuned.start);
}

// Tiles of 16 rows leave most cores without work.
TEST_F(TunedFile, SearchesTilesBelow16) {
  std::ofstream(path_) << R"(import pypto.language as pl

ROWS = 16


@pl.program
class Doubled:
    @pl.function(type=pl.FunctionType.Opaque)
    def doubled(
        self,
        x: pl.Tensor[[64, 16384], pl.FP32],
        y: pl.Out[pl.Tensor[[64, 16384], pl.FP32]],
    ) -> pl.Tensor[[64, 16384], pl.FP32]:
        for r in pl.parallel(64 // ROWS):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="double"):
                for c in pl.range(32):
                    tile = pl.slice(x, [ROWS, 512], [r * ROWS, c * 512])
                    y = pl.assemble(y, pl.mul(tile, 2.0), [r * ROWS, c * 512])
        return y
)";
  const catalog::ProgramDef d = def();
  const Space space = space_of(d, request_, SearchRequest());
  ASSERT_TRUE(axis(space, "ROWS"));
  EXPECT_EQ(axis(space, "ROWS")->values.front(), 2) << "an eighth of the value, as elsewhere";
  const Searched s = search(d, request_, {});
  EXPECT_LE(s.tuned.best.at("ROWS"), 8);
  for (const OutputMatch& o : s.outputs) EXPECT_TRUE(o.comparison.passed()) << o.name;
}

TEST(Tour, IsSearchedAlthoughItsKeysNameNoChoices) {
  const catalog::ProgramDef def = programs::tour();
  const session::Request request = session::request_for("a2a3sim");
  const Space space = space_of(def, request, SearchRequest());
  EXPECT_TRUE(axis(space, "k_tile"));
  EXPECT_TRUE(axis(space, "n_tile"));
  EXPECT_FALSE(axis(space, "hidden"));
  const Searched s = search(def, request, {});
  EXPECT_LT(s.tuned.best_verdict.time_us, s.tuned.start_verdict.time_us);
  for (const OutputMatch& o : s.outputs) EXPECT_TRUE(o.comparison.passed()) << o.name;
}

// An exported program has constants, and is searched like a file that somebody wrote.
TEST(Exported, HasTheTileSizesOfItsKeys) {
  for (const catalog::ProgramDef& def : models::qwen3::qwen3_programs()) {
    if (def.name != "qwen3/scope1" && def.name != "qwen3/scope3") continue;
    session::Request request = session::request_for("a2a3sim");
    const std::string text =
        results::text_with_constants(def, session::configure(def, request));
    const std::string path = ::testing::TempDir() + "exported.py";
    std::ofstream(path) << text;
    const catalog::ProgramDef file = data::program_from_file(path, {});
    EXPECT_GE(space_of(file, request, SearchRequest()).axes.size(), 4u) << text.substr(0, 400);
    const session::TimedRun a = session::predict(def, request);
    const session::TimedRun b = session::predict(file, request);
    ASSERT_TRUE(a.passed() && b.passed());
    EXPECT_EQ(a.profile->all.total_us, b.profile->all.total_us);
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace tilewright::improve
