// Runs saved to a directory and replayed from it.
#include "support.h"

#include <filesystem>
#include <fstream>

#include "tilewright/data/data_dir.h"
#include "tilewright/data/npy.h"

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
       {"in/x.npy", "in/bias.npy", "in/limit.npy", "in/total.npy", "out/y.npy", "out/total.npy",
        "expected/y.npy", "expected/total.npy", "manifest.json"})
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
  RunResult told;
  const auto why = [&](const ProgramDef& def) {
    return error_of([&] { told = run_on_golden(def, replaying, {.replay = directory}); });
  };

  ProgramDef other = small();
  other.name = "other";
  EXPECT_TRUE(contains(why(other), "the data was saved by program \"small\", not \"other\""));
  replaying.set = {{"cols", 16}};
  EXPECT_EQ(why(small()), "no error");
  EXPECT_EQ(told.diagnostics.error_count(), 3u);  // x, bias, total
  EXPECT_TRUE(contains(told.diagnostics.text(),
                       "the file has [8 x 64] float32, but the parameter is [8 x 16] FP32"));
  replaying.set = {};
  fs::resize_file(dir.path / "data/in/x.npy", 228);
  EXPECT_TRUE(contains(why(small()), "needs 2048 bytes, but 100 follow the header"));
  fs::remove(dir.path / "data/in/x.npy");
  fs::remove(dir.path / "data/in/total.npy");
  EXPECT_TRUE(contains(why(small()), "no file for 2 inputs: x, total"));
  std::ofstream(dir.path / "data/manifest.json") << "{\"format\": 3}";
  EXPECT_TRUE(contains(why(small()), "member \"format\" is a number, not a string"));
  std::ofstream(dir.path / "data/manifest.json") << "{";
  EXPECT_TRUE(contains(why(small()), "manifest.json"));
  directory = dir / "nothing";
  EXPECT_TRUE(contains(why(small()), "there is no directory"));
}

HostArray constant_array(const Shape& shape, double value, DType dtype = DType::F32) {
  HostArray array(dtype, shape);
  for (int64_t i = 0; i < array.size(); ++i) array.set(i, value);
  return array;
}

void write_inputs(const fs::path& directory) {
  fs::create_directories(directory);
  data::write_npy(directory / "x.npy", constant_array({8, 64}, 1));
  data::write_npy(directory / "bias.npy", constant_array({1, 64}, 3));
  data::write_npy(directory / "total.npy", constant_array({8, 64}, 10));
  // As NumPy has integers; the parameter is INT32.
  data::write_npy(directory / "limit.npy", constant_array({1}, 8, DType::I64));
}

TEST(Data, ValuesFromElsewhereAreRunAndCompared) {
  const TemporaryDirectory dir;
  write_inputs(dir.path / "in");
  const fs::path out = dir.path / "out";
  fs::create_directory(out);
  const RunOptions options{.replay = dir.path.string(), .expect = dir.path.string()};
  const auto run_small = [&] { return run_on_golden(small(), on_cpu(), options); };

  data::write_npy(out / "y.npy", constant_array({8, 64}, 5));
  RunResult r = run_small();
  EXPECT_EQ(r.status, Status::Skipped);  // total has no file
  ASSERT_EQ(r.outputs.size(), 2u);
  EXPECT_EQ(r.outputs[0].name, "total");
  EXPECT_EQ(r.outputs[0].status, Status::Skipped);
  EXPECT_EQ(r.outputs[1].status, Status::Pass);

  data::write_npy(out / "total.npy", constant_array({8, 64}, 11));
  EXPECT_TRUE(run_small().passed());

  HostArray wrong = constant_array({8, 64}, 11);
  wrong.set(70, 12);
  data::write_npy(out / "total.npy", wrong);
  r = run_small();
  EXPECT_EQ(r.status, Status::Fail);
  EXPECT_EQ(r.outputs[0].comparison.total - r.outputs[0].comparison.matched, 1);
  EXPECT_EQ(r.outputs[0].comparison.mismatches.at(0).index, 70);
}

// What is expected is what --expect says, whatever the formula or a recording says.
TEST(Data, ExpectedFilesComeBeforeFormulaAndRecording) {
  const TemporaryDirectory dir;
  ASSERT_TRUE(run_on_golden(small(), on_cpu(), {.save_data = dir / "saved"}).passed());
  fs::create_directory(dir.path / "wrong");
  data::write_npy(dir.path / "wrong/y.npy", constant_array({8, 64}, 1e6));
  EXPECT_EQ(run_on_golden(small(), on_cpu(), {.expect = dir / "wrong"}).status, Status::Fail);
  EXPECT_EQ(
      run_on_golden(small(), on_cpu(), {.replay = dir / "saved", .expect = dir / "wrong"}).status,
      Status::Fail);
  // The outputs of one run as the expectation of another.
  EXPECT_TRUE(run_on_golden(small(), on_cpu(), {.expect = dir / "saved"}).passed());
}

TEST(Data, FilesThatDoNotFitAreRefused) {
  const TemporaryDirectory dir;
  write_inputs(dir.path);
  // What is wrong with the request, or with the files.
  const auto why = [&](const RunOptions& options) {
    std::string told;
    const std::string refused =
        error_of([&] { told = run_on_golden(small(), on_cpu(), options).diagnostics.text(); });
    return told.empty() ? refused : told;
  };
  const std::string here = dir.path.string();
  EXPECT_EQ(why({.replay = here}), "no error");
  EXPECT_TRUE(contains(why({.replay = here, .expect = here}),
                       "total.npy would be both input and expected value of total"));
  fs::remove(dir.path / "total.npy");
  EXPECT_EQ(why({.expect = here}), "error: no file for any output: total, y\n  in --expect " +
                                       here +
                                       "\n  --expect compares each output with out/NAME.npy or "
                                       "NAME.npy\n"
                                       "  help: available: bias.npy, limit.npy, x.npy\n");
  data::write_npy(dir.path / "y.npy", constant_array({8, 32}, 5));
  EXPECT_TRUE(contains(why({.expect = here}), "[8 x 32] float32, but the parameter is [8 x 64] FP32"));
  data::write_npy(dir.path / "limit.npy", constant_array({1}, 1e10, DType::I64));
  data::write_npy(dir.path / "total.npy", constant_array({8, 64}, 10));
  EXPECT_TRUE(
      contains(why({.replay = here}), "element 0 is 10000000000, which is not a valid INT32"));
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
  EXPECT_EQ(data::DataReader(dir / "empty").manifest()->seed, 2u);
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
