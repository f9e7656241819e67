// What advise --apply leaves of loops that its changes make run once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tilewright/data/program_file.h"
#include "tilewright/improve/apply.h"
#include "tilewright/ir/print.h"

namespace tilewright::improve {
namespace {

// The author's own loop of one trip, and one that larger tiles make run once.
constexpr const char* kLoops = R"(import pypto.language as pl


@pl.program
class Doubled:
    @pl.function
    def main(self, x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[64, 32], pl.FP32]]):
        for once in pl.range(1):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="double"):
                for i in pl.range(0, 64, 8):
                    tile = pl.slice(x, [8, 32], [i, once * 32])
                    y = pl.assemble(y, pl.mul(tile, 2.0), [i, 0])
        return y
)";

TEST(SingleTrips, AreInlinedUnlessTheAuthorWroteThem) {
  const std::string path = ::testing::TempDir() + "single_trips.py";
  std::ofstream(path) << kLoops;
  const catalog::ProgramDef def = data::program_from_file(path, {});
  const Applied a = apply_advice(def, session::request_for("a2a3sim"));
  ASSERT_TRUE(a.changed());
  for (const OutputMatch& o : a.outputs) EXPECT_TRUE(o.comparison.passed()) << o.name;
  const std::string text = ir::print(*a.program);
  EXPECT_EQ(text.find("for i in"), std::string::npos) << text;
  EXPECT_NE(text.find("for once in pl.range(1):"), std::string::npos) << text;
  EXPECT_NE(text.find("[64, 32]"), std::string::npos) << text;
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tilewright::improve
