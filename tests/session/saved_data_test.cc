// Runs saved to a directory and replayed from it.
#include "support.h"

#include <filesystem>
#include <fstream>

#include "tilewright/data/data_dir.h"

namespace session_test {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const TemporaryDirectory& dir) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir.path), {}));
}

TEST(Data, SavedThenReplayedGivesTheSameResult) {
  const TemporaryDirectory dir;
  Request saving = on_cpu();
  saving.shape = "wide";
  saving.set = {{"cols", 32}};
  saving.seed = 5;
  ASSERT_TRUE(run_on_golden(small(), saving, {.save_data = dir / "data"}).passed());
  for (const char* file :
       {"in/x.bin", "in/bias.bin", "in/limit.bin", "in/total.bin", "out/y.bin", "out/total.bin",
        "expected/y.bin", "expected/total.bin", "manifest.json"})
    EXPECT_TRUE(fs::exists(dir.path / "data" / file)) << file;
  EXPECT_EQ(entries(dir), 1u);

  ProgramDef def = small();
  def.formula = nullptr;  // the expected values come from the recording
  def.inputs = nullptr;
  const RunResult r = run_on_golden(def, on_cpu(), {.replay = dir / "data"});
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.shape, "wide");
  EXPECT_EQ(r.seed, 5u);
  EXPECT_EQ(r.outputs[0].shape, (Shape{8, 32}));
}

TEST(Data, ReplayRefusesAnotherProgramShapeOrFile) {
  const TemporaryDirectory dir;
  run_on_golden(small(), on_cpu(), {.save_data = dir / "data"});
  Request replaying = on_cpu();
  std::string directory = dir / "data";
  const auto why = [&](const ProgramDef& def) {
    return error_of([&] { run_on_golden(def, replaying, {.replay = directory}); });
  };

  ProgramDef other = small();
  other.name = "other";
  EXPECT_TRUE(contains(why(other), "the data was saved by program \"small\", not \"other\""));
  replaying.set = {{"cols", 16}};
  EXPECT_TRUE(
      contains(why(small()), "tensor x: recorded as [8 x 64] FP32, the program has [8 x 16] FP32"));
  replaying.set = {};
  fs::resize_file(dir.path / "data/in/x.bin", 100);
  EXPECT_TRUE(contains(why(small()), "it has 100 bytes, 2048 needed"));
  fs::remove(dir.path / "data/in/x.bin");
  EXPECT_TRUE(contains(why(small()), "cannot read"));
  std::ofstream(dir.path / "data/manifest.json") << "{\"format\": 3}";
  EXPECT_TRUE(contains(why(small()), "member \"format\" is a number, not a string"));
  std::ofstream(dir.path / "data/manifest.json") << "{";
  EXPECT_TRUE(contains(why(small()), "manifest.json"));
  directory = dir / "nothing";
  EXPECT_TRUE(contains(why(small()), "no saved data in"));
}

TEST(Data, OnlyOwnOrEmptyDirectoriesAreReplaced) {
  const TemporaryDirectory dir;
  Request saving = on_cpu();
  const auto save_to = [&](const std::string& where) {
    return error_of([&] { run_on_golden(small(), saving, {.save_data = where}); });
  };
  fs::create_directory(dir.path / "mine");
  std::ofstream(dir.path / "mine/thesis.tex") << "years of work";
  EXPECT_TRUE(contains(save_to(dir / "mine"), "it is not empty and holds no data saved by a run"));
  EXPECT_TRUE(fs::exists(dir.path / "mine/thesis.tex"));
  std::ofstream(dir.path / "mine/manifest.json") << "{}";  // somebody else's manifest
  EXPECT_TRUE(contains(save_to(dir / "mine"), "it is not empty"));

  fs::create_directory(dir.path / "empty");
  EXPECT_EQ(save_to(dir / "empty/"), "no error");
  saving.seed = 2;
  EXPECT_EQ(save_to(dir / "empty"), "no error");
  EXPECT_EQ(data::DataReader(dir / "empty").manifest().seed, 2u);
  EXPECT_TRUE(contains(save_to(dir / "no/such/parent"), "check that its parent exists"));
  EXPECT_TRUE(contains(save_to(dir / "mine/thesis.tex"), "it is a file"));
  EXPECT_EQ(entries(dir), 2u);
}

TEST(Data, NothingIsLeftWhenARunStops) {
  const TemporaryDirectory dir;
  const Executor broken{"broken",
                        [](const ir::Plan&, const ir::TaskGraph&, const ir::Bindings&)
                            -> std::string { throw std::runtime_error("broken"); }};
  EXPECT_THROW(run(small(), on_cpu(), broken, {.save_data = dir / "data"}), std::runtime_error);
  EXPECT_EQ(entries(dir), 0u);
}

}  // namespace
}  // namespace session_test
